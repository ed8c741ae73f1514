type Theme = "light" | "dark";

const KEY = "lorebase-theme";
const root = document.documentElement;

const stored = readStored();
if (stored === "light" || stored === "dark") root.dataset.theme = stored;

export function isDark(): boolean {
  const { theme } = root.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Chooses a theme, also for the next visit. */
export function setTheme(theme: Theme): void {
  root.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage is blocked, as in some frames: the choice lasts for this visit.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // Storage is blocked.
    return null;
  }
}
