import { inBrowser } from "vitepress";
import theme from "vitepress/theme";
import "./style.css";

/** Switches all tabs of a page to the language that a reader chooses in one, and keeps that one where it is on the screen. */
function switchTogether({ target, isTrusted }) {
  if (!isTrusted || !target.matches(".vp-code-group input")) return;
  const titleOf = ({ id }) => document.querySelector(`label[for="${id}"]`)?.dataset.title;
  const title = titleOf(target);
  const { top } = target.parentElement.getBoundingClientRect();
  for (const input of document.querySelectorAll(".vp-code-group input")) {
    if (!input.checked && titleOf(input) === title) input.click();
  }
  window.scrollBy({ top: target.parentElement.getBoundingClientRect().top - top, behavior: "instant" });
}

export default {
  extends: theme,
  enhanceApp() {
    if (inBrowser) window.addEventListener("click", switchTogether);
  },
};
