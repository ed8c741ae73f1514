import type { VNode } from "preact";

interface ExamplesProps {
  readonly label: string;
  readonly texts: readonly string[];
  readonly onSelect: (text: string) => void;
}

/** Questions or queries to begin with, or to go on with. */
export function Examples({ label, texts, onSelect }: ExamplesProps): VNode | null {
  if (texts.length === 0) return null;
  return (
    <ul class="examples" aria-label={label}>
      {texts.map((text) => (
        <li key={text}>
          <button type="button" dir="auto" onClick={() => onSelect(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
