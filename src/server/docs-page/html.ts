/** The page at `/docs`. It reads `/openapi.json` and lets one send requests; everything it needs comes from this server. */
export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>SENS: try it</title>
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/page.js" defer></script>
</head>
<body>
<header>
<h1>SENS</h1>
<p id="about">Reading <a href="/openapi.json">/openapi.json</a> …</p>
<label>Token, where the server needs one <input id="token" type="password" autocomplete="off" spellcheck="false"></label>
</header>
<main id="operations" aria-live="polite"></main>
<noscript><p>This page needs scripts. The same description is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
</body>
</html>
`;
