/**
 * Script of the page at `/docs`, as text: it runs in browsers, is served as it stands and is not part of the program.
 * Text from the server is only ever set as text, never as markup.
 */
export const DOCS_SCRIPT = `"use strict";
const METHODS = ["get", "post", "put", "delete"];

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

function field(label, hint, input) {
  return element("label", {}, label, input, element("small", { textContent: hint || "" }));
}

function exampleOf(media) {
  const schema = media?.schema ?? {};
  const example = media?.example ?? schema.examples?.[0] ?? schema.example;
  if (example === undefined) return "";
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

function formExample(media) {
  const fields = media?.schema?.properties ?? {};
  const first = Object.keys(fields)[0];
  const example = first && fields[first].examples?.[0];
  return example === undefined ? exampleOf(media) : new URLSearchParams({ [first]: example }).toString();
}

function parameterInputs(operation, form) {
  return (operation.parameters ?? []).map((parameter) => {
    const schema = parameter.schema ?? {};
    const input = element("input", { placeholder: String(parameter.example ?? schema.examples?.[0] ?? schema.example ?? schema.type ?? ""), required: parameter.in === "path" });
    form.append(field(parameter.name + " (" + parameter.in + ")", parameter.description ?? schema.description, input));
    return { parameter, input };
  });
}

function bodyInputs(operation, form) {
  const content = operation.requestBody?.content;
  if (!content) return undefined;
  const type = element("select");
  for (const mediaType of Object.keys(content)) type.append(element("option", { value: mediaType, textContent: mediaType }));
  const text = element("textarea", { spellcheck: false });
  const fill = () => {
    text.value = type.value.includes("form-urlencoded") ? formExample(content[type.value]) : exampleOf(content[type.value]);
  };
  type.addEventListener("change", fill);
  fill();
  form.append(field("Content-Type", "", type), field("Body", "", text));
  return { type, text };
}

function acceptInput(operation, form) {
  const types = Object.keys(operation.responses?.["200"]?.content ?? {});
  if (types.length < 2) return undefined;
  const accept = element("select", {}, element("option", { value: "", textContent: "any" }));
  for (const mediaType of types) accept.append(element("option", { value: mediaType, textContent: mediaType }));
  form.append(field("Accept", "Format of the answer", accept));
  return accept;
}

function requestOf(path, method, parameters, body, accept) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let url = path;
  for (const { parameter, input } of parameters) {
    if (input.value === "") continue;
    if (parameter.in === "path") url = url.replace("{" + parameter.name + "}", encodeURIComponent(input.value));
    else if (parameter.in === "header") headers.set(parameter.name, input.value);
    else query.append(parameter.name, input.value);
  }
  const token = document.getElementById("token").value;
  if (token) headers.set("authorization", "Bearer " + token);
  if (accept?.value) headers.set("accept", accept.value);
  if (body) headers.set("content-type", body.type.value);
  const search = query.toString();
  return [search ? url + "?" + search : url, { method: method.toUpperCase(), headers, body: body?.text.value }];
}

async function send(request, output, signal) {
  output.textContent = "Waiting …";
  try {
    const response = await fetch(request[0], { ...request[1], signal });
    const lines = [response.status + " " + response.statusText];
    for (const name of ["content-type", "location", "sens-cursor", "sens-claim", "sens-deliveries", "sens-still-entailed", "sens-nothing-asserted"]) {
      if (response.headers.has(name)) lines.push(name + ": " + response.headers.get(name));
    }
    output.textContent = lines.join("\\n") + "\\n\\n";
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader.read()) output.append(part.value);
  } catch (error) {
    output.append(error.name === "AbortError" ? "\\nStopped." : "\\nNo answer: " + error.message);
  }
}

function operationView(path, method, operation) {
  const form = element("form");
  const parameters = parameterInputs(operation, form);
  const body = bodyInputs(operation, form);
  const accept = acceptInput(operation, form);
  const output = element("pre", { hidden: true });
  const stop = element("button", { type: "button", textContent: "Stop" });
  let running = new AbortController();
  stop.addEventListener("click", () => running.abort());
  form.append(element("div", { className: "buttons" }, element("button", { textContent: "Send" }), stop));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    running.abort();
    running = new AbortController();
    output.hidden = false;
    send(requestOf(path, method, parameters, body, accept), output, running.signal);
  });
  const title = element("summary", {}, element("b", { textContent: method.toUpperCase() }), element("code", { textContent: path }), " " + (operation.summary ?? ""));
  return element("details", {}, title, element("p", { textContent: operation.description ?? "" }), form, output);
}

async function show() {
  const description = await (await fetch("/openapi.json")).json();
  document.getElementById("about").textContent = description.info.description;
  const groups = new Map();
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const tag = operation.tags?.[0] ?? "Other";
      if (!groups.has(tag)) groups.set(tag, element("section", {}, element("h2", { textContent: tag })));
      groups.get(tag).append(operationView(path, method, operation));
    }
  }
  document.getElementById("operations").append(...groups.values());
}

show().catch((error) => {
  document.getElementById("about").textContent = "The description could not be read: " + error.message;
});
`;
