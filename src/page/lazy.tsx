import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { strings } from "./strings.js";

/**
 * A component whose script is loaded when it is first shown.
 *
 * @param Placeholder Shown meanwhile.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Placeholder: () => VNode | null,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props): VNode | null {
    const [state, setState] = useState<"loading" | "loaded" | "failed">(loaded ? "loaded" : "loading");
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          setState("loaded");
        },
        () => setState("failed"),
      );
    }, []);
    const Loaded = loaded;
    if (Loaded) return <Loaded {...props} />;
    return state === "failed" ? <LoadProblem /> : <Placeholder />;
  };
}

/** The server can't be reached, or has another version of the page by now. */
function LoadProblem(): VNode {
  return (
    <>
      <p class="problem" role="alert">
        {strings.partNotLoaded}
      </p>
      <button type="button" class="retry" onClick={() => location.reload()}>
        {strings.reload}
      </button>
    </>
  );
}
