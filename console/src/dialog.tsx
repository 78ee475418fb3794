/** A dialog of the browser's own: it keeps the focus, closes by Esc, and gives the focus back. */

import { useEffect, useId, useRef, type JSX, type ReactNode } from "react";

/** What it shows. It is open as long as it is rendered. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The dialog. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      {/* Last, so that the focus begins at the first field. */}
      <button type="button" onClick={() => dialog.current?.close()} className="quiet dialog-close">
        Close
      </button>
    </dialog>
  );
}
