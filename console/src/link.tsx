/** A link inside the console: an address that can be copied and opened elsewhere, followed without loading the page anew. */

import type { JSX, MouseEvent, ReactNode } from "react";
import { addressOf, goTo } from "./route.ts";

/** Where it leads, below the base path, and how it looks. */
export interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly isCurrent?: boolean;
  /** Called before it is followed here. */
  readonly onFollow?: () => void;
}

/** The link. Other buttons and modifier keys are the browser's. */
export function Link({ to, children, className, isCurrent = false, onFollow }: LinkProps): JSX.Element {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onFollow?.();
    goTo(to);
  };
  return (
    <a
      href={addressOf(to)}
      onClick={follow}
      className={className}
      aria-current={isCurrent ? "page" : undefined}
    >
      {children}
    </a>
  );
}
