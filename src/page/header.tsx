import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { fill } from "../http/page/strings/fill.js";
import { IconButton } from "./icon-button.js";
import { DownloadIcon, HistoryIcon, KeyboardIcon, PlusIcon, SignOutIcon, ThemeIcon } from "./icons.js";
import { config } from "./page-config.js";
import { strings } from "./strings.js";
import { isDark, setTheme } from "./theme.js";

interface HeaderProps {
  readonly children: ComponentChildren;
  readonly onHelp?: () => void;
  readonly onNewChat?: () => void;
  readonly onExport?: () => void;
  readonly onHistory?: () => void;
  readonly onSignOut?: () => void;
}

/** The title of the page, and what concerns all of it. */
export function Header({ children, onHelp, onNewChat, onExport, onHistory, onSignOut }: HeaderProps): VNode {
  const [dark, setDark] = useState(isDark);
  const switchTheme = () => {
    setTheme(dark ? "light" : "dark");
    setDark(!dark);
  };
  return (
    <header>
      {config.logo && <img class="logo" src={config.logo} alt="" />}
      <h1 dir="auto">{config.title}</h1>
      {children}
      <div class="header-actions">
        {onNewChat && <IconButton label={strings.newChat} icon={<PlusIcon />} onClick={onNewChat} />}
        {onExport && <IconButton label={strings.downloadConversation} icon={<DownloadIcon />} onClick={onExport} />}
        {onHistory && <IconButton label={strings.recentConversations} icon={<HistoryIcon />} onClick={onHistory} />}
        {onHelp && (
          <IconButton class="pointer-only" label={strings.keyboardShortcuts} icon={<KeyboardIcon />} onClick={onHelp} />
        )}
        <IconButton label={dark ? strings.lightTheme : strings.darkTheme} icon={<ThemeIcon />} onClick={switchTheme} />
        {onSignOut && (
          <IconButton
            label={fill(strings.signOut, { email: config.signedInAs ?? "" })}
            icon={<SignOutIcon />}
            onClick={onSignOut}
          />
        )}
      </div>
    </header>
  );
}
