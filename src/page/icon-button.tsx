import type { VNode } from "preact";

interface IconButtonProps {
  /** What it does, for its name and its tooltip. */
  readonly label: string;
  readonly icon: VNode;
  readonly onClick: () => void;
  readonly class?: string;
  /** For a button that stays pressed. */
  readonly isPressed?: boolean;
}

export function IconButton({ label, icon, onClick, isPressed, class: className = "" }: IconButtonProps): VNode {
  return (
    <button
      type="button"
      class={`icon-button ${className}`}
      title={label}
      aria-label={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      {icon}
    </button>
  );
}
