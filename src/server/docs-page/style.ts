/** Style of the page at `/docs`. Colours keep a contrast of at least 4.5 to 1. */
export const DOCS_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.2rem; }
details { border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: 6px; margin: 0.4rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; font-family: ui-monospace, monospace; }
code, pre, textarea, input, select { font-family: ui-monospace, monospace; font-size: 0.9rem; }
form { display: grid; gap: 0.6rem; padding: 0.6rem 0; }
label { display: grid; gap: 0.2rem; }
label small { opacity: 0.8; }
input, textarea, select { padding: 0.3rem; width: 100%; box-sizing: border-box; }
textarea { min-height: 6rem; }
pre { overflow: auto; max-height: 24rem; padding: 0.6rem; border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); white-space: pre-wrap; overflow-wrap: anywhere; }
button { padding: 0.4rem 1rem; font: inherit; cursor: pointer; }
.buttons { display: flex; gap: 0.6rem; }
`;
