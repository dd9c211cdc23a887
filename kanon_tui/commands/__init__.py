"""The commands: `declarations` has their help and arguments, a module each what they do.

The module of a command has a function `execute(args)`, which returns the exit code unless it is 0.
It is imported when the command is executed: `kanon-tui --help` answers at once.

May import: `core` and `web`; never `screens`, `widgets` or `app`. The command line hands a command
`args.open_application` to open the application with.
"""
