import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { post, requestCode } from "./api.js";
import { FilledText } from "./filled-text.js";
import { Header } from "./header.js";
import { config } from "./page-config.js";
import { findPendingSignIn, forgetPendingSignIn, keepPendingSignIn, onCodeInAddress } from "./pending-sign-in.js";
import { RequestError } from "./request-error.js";
import { strings } from "./strings.js";

/** The page of a visitor who has not signed in. */
export function SignIn(): VNode {
  return (
    <>
      <Header>{null}</Header>
      <section class="sign-in" aria-label={strings.signIn}>
        {config.canSignIn ? <SignInForms /> : <p>{strings.pageIsProtected}</p>}
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
        else setProblem(strings.linkElsewhere);
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
      setProblem(error instanceof RequestError ? error.message : strings.somethingWrong);
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
      <h2>{sentTo === "" ? strings.signIn : strings.enterCode}</h2>
      <p>{sentTo === "" ? strings.enterEmail : <FilledText text={strings.codeSent} values={{ email: sentTo }} />}</p>
      <label>
        {sentTo === "" ? strings.emailAddress : strings.code}
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
            {strings.anotherAddress}
          </button>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {sentTo === "" ? strings.sendCode : strings.signIn}
        </button>
      </div>
    </form>
  );
}
