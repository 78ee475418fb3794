/** Starts the console on the page. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element to put the console in");
// Its address is relative to the page that was loaded; the page has another one as soon as somebody goes on.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) {
  icon.setAttribute("href", icon.href);
}
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
