import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { post, requestCode } from "./api.js";
import { Header } from "./header.js";
import { config } from "./page-config.js";
import { findPendingSignIn, forgetPendingSignIn, keepPendingSignIn, onCodeInAddress } from "./pending-sign-in.js";
import { RequestError } from "./request-error.js";

/** The page of a visitor who has not signed in. */
export function SignIn(): VNode {
  return (
    <>
      <Header>{null}</Header>
      <section class="sign-in" aria-label="Sign in">
        {config.canSignIn ? (
          <SignInForms />
        ) : (
          <p>This page is protected. Sign in to the site that it belongs to, and open it again.</p>
        )}
      </section>
    </>
  );
}

const EMAIL_FIELD = { type: "email", inputMode: "email", autocomplete: "email" } as const;
const CODE_FIELD = { type: "text", inputMode: "numeric", autocomplete: "one-time-code" } as const;

async function verify(email: string, code: string, requestId: string): Promise<void> {
  await post("/sign-in/verify", { email, code, requestId });
  forgetPendingSignIn();
  location.reload();
}

/** First the e-mail address, then the code that was sent to it, or the link with it. */
function SignInForms(): VNode {
  const [sentTo, setSentTo] = useState("");
  const [requestId, setRequestId] = useState("");
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current!.focus(), [sentTo]);

  useEffect(
    () =>
      onCodeInAddress((code) => {
        const pending = sentTo === "" ? findPendingSignIn() : { email: sentTo, requestId };
        if (pending) void attempt(() => verify(pending.email, code, pending.requestId));
        else setProblem("Open the link in the browser in which you asked for it, or enter the code there.");
      }),
    [sentTo, requestId],
  );

  const submit = () =>
    attempt(async () => {
      if (sentTo !== "") return verify(sentTo, value, requestId);
      const id = await requestCode(value);
      keepPendingSignIn(value, id);
      setRequestId(id);
      setSentTo(value);
      setValue("");
    });

  async function attempt(action: () => Promise<void>): Promise<void> {
    setIsBusy(true);
    setProblem("");
    try {
      await action();
    } catch (error) {
      setProblem(error instanceof RequestError ? error.message : "Something went wrong.");
    }
    setIsBusy(false);
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{sentTo === "" ? "Sign in" : "Enter your code"}</h2>
      <p>
        {sentTo === ""
          ? "Enter your e-mail address to get a sign-in code."
          : `If ${sentTo} may use this page, a code of six digits was sent to it. It works once, for 10 minutes.`}
      </p>
      <label>
        {sentTo === "" ? "E-mail address" : "Code"}
        <input
          ref={field}
          key={sentTo}
          {...(sentTo === "" ? EMAIL_FIELD : CODE_FIELD)}
          required
          value={value}
          onInput={({ currentTarget }) => setValue(currentTarget.value)}
        />
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="form-actions">
        {sentTo !== "" && (
          <button
            type="button"
            onClick={() => {
              setValue(sentTo);
              setSentTo("");
            }}
          >
            Use another address
          </button>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {sentTo === "" ? "Send code" : "Sign in"}
        </button>
      </div>
    </form>
  );
}
