"use strict";
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const remembered = (value) => {
    try { // a page that was opened from a file may have no memory
      if (value) localStorage.setItem("ferrule-theme", value);
      return localStorage.getItem("ferrule-theme");
    } catch { return value; }
  };
  const theme = remembered();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;

  const switchTheme = () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    remembered(root.dataset.theme);
  };
  const setAll = (folds, open) => { for (const one of folds) one.open = open; };
  const foldAll = () => {
    const button = document.getElementById("fold");
    const open = button.textContent === "Unfold all";
    setAll(document.querySelectorAll("main details"), open);
    button.textContent = open ? "Fold all" : "Unfold all";
  };
  const help = () => {
    const dialog = document.getElementById("help");
    if (dialog.open) dialog.close(); else dialog.showModal();
  };

  // The last article that begins above the middle of the window; they stand in order, so halving finds it.
  const indexHere = (articles) => {
    const focused = document.activeElement.closest("article");
    const box = focused && focused.getBoundingClientRect();
    if (box && box.bottom > 0 && box.top < innerHeight) return [...articles].indexOf(focused);
    let low = 0, high = articles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (articles[middle].getBoundingClientRect().top < innerHeight / 3) low = middle + 1; else high = middle;
    }
    return low - 1;
  };
  const go = (step, wanted) => {
    const articles = document.querySelectorAll("main > article");
    let index = indexHere(articles) + step;
    while (articles[index] && !articles[index].matches(wanted)) index += step;
    if (!articles[index]) return;
    articles[index].focus({ preventScroll: true });
    articles[index].scrollIntoView({ block: "start", behavior: "instant" });
  };
  const foldHere = () => {
    const articles = document.querySelectorAll("main > article");
    const article = articles[Math.max(0, indexHere(articles))];
    const folds = article ? [...article.querySelectorAll("details")] : [];
    setAll(folds, folds.some((one) => !one.open));
  };

  const keys = {
    j: () => go(1, "article"), k: () => go(-1, "article"), n: () => go(1, ".prompt"), p: () => go(-1, ".prompt"),
    o: foldHere, f: foldAll, t: switchTheme, "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelector(".buttons").hidden = false;
    document.getElementById("fold").addEventListener("click", foldAll);
    document.getElementById("theme").addEventListener("click", switchTheme);
    document.getElementById("keys").addEventListener("click", help);
    document.getElementById("close").addEventListener("click", help);
    const contents = document.querySelector("nav details");
    if (contents && matchMedia("(min-width: 92rem)").matches) contents.open = true;
  });
})();
