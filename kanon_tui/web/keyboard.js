// The keyboard belongs to the terminal from the start, without a click into it.
addEventListener("load", () => {
  document.querySelector(".xterm-helper-textarea")?.focus();
});
