import type { VNode } from "preact";

/** @param isDirectional Whether it points forwards or backwards, which depends on the direction of the page. */
function icon(path: string, isDirectional = false): () => VNode {
  return () => (
    <svg class={isDirectional ? "icon directional" : "icon"} viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

export const SendIcon = icon("M12 19V5m-6 6 6-6 6 6");
export const StopIcon = icon("M7 7h10v10H7z");
export const SearchIcon = icon("M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm4.6-1.9L20 20");
export const CopyIcon = icon("M9 9h10v10H9zM5 15V5h10");
export const CheckIcon = icon("m5 12.5 4.5 4.5L19 7.5");
export const ThumbUpIcon = icon(
  "M7 11v8H4v-8h3Zm0 0 4-7c1.5 0 2.5 1 2.2 2.6L12.6 10H18c1.3 0 2.2 1.2 1.9 2.4l-1.3 5A2 2 0 0 1 16.6 19H7",
);
export const ThumbDownIcon = icon(
  "M7 13V5H4v8h3Zm0 0 4 7c1.5 0 2.5-1 2.2-2.6l-.6-3.4H18c1.3 0 2.2-1.2 1.9-2.4l-1.3-5A2 2 0 0 0 16.6 5H7",
);
export const RetryIcon = icon("M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6");
export const EditIcon = icon("M5 19h3.5L19 8.5 15.5 5 5 15.5V19Zm8.5-12 3.5 3.5");
export const CloseIcon = icon("m6 6 12 12M18 6 6 18");
export const ThemeIcon = icon("M12 4a8 8 0 1 0 0 16V4Zm0 0a8 8 0 0 1 0 16");
export const DocumentIcon = icon("M7 4h7l4 4v12H7zM14 4v4h4M10 12h5m-5 4h5");
export const PlusIcon = icon("M12 5v14M5 12h14");
export const KeyboardIcon = icon("M3 7h18v10H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8");
export const SignOutIcon = icon("M14 4H6v16h8M10 12h10m-4-4 4 4-4 4", true);
export const ArrowIcon = icon("M5 12h14m-6-6 6 6-6 6", true);
export const DownloadIcon = icon("M12 4v11m-5-5 5 5 5-5M5 19h14");
export const HistoryIcon = icon("M4 12a8 8 0 1 0 2.4-5.7L4 8.5M4 4v4.5h4.5M12 8v4.5l3 1.8");
