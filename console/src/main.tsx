/** Starts the console on the page. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no element to put the console in");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
