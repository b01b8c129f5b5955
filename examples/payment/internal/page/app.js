"use strict";
// The page: an order, its token and its request id; clicks, and what the header Payment-Layers says became of them.

const layers = [
  { id: "gate", where: "at the gate", name: "Gate", text: "The request id: seen before, it gets the stored response." },
  { id: "token", where: "in the middle", name: "Token", text: "Issued for one payment of this session, and used once." },
  { id: "record", where: "in the middle", name: "Record", text: "The call's key, and its result, in the payment's transaction." },
  { id: "state", where: "in the middle", name: "State machine", text: "Only a created order can become a paid one." },
  { id: "index", where: "last", name: "Unique index", text: "The ledger takes one payment per order." },
];
const passes = new Set(["passed", "consumed", "claimed", "moved", "inserted"]);
const shownRows = 200;

const at = (id) => document.getElementById(id);
const make = (tag, cls, ...children) => {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  node.append(...children);
  return node;
};
const money = (cents) => (cents / 100).toFixed(2) + " €";
const randomId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

let order, token, requestId; // of the order on the till
let clicks = 0, done = 0, stopped = 0, paid = 0;
const answered = {}; // calls per layer that answered

// send makes a request; a body is JSON.
function send(method, path, body, headers, more) {
  return fetch(path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body && JSON.stringify(body), ...more });
}

function say(text) {
  at("notice").textContent = text;
  at("notice").hidden = !text;
}

async function newToken() {
  const response = await send("POST", "/tokens");
  return (await response.json()).tokens[0];
}

// newOrder opens an order and gets a token for its payment.
async function newOrder() {
  say("");
  const number = "A-" + randomId().slice(0, 5).toUpperCase();
  const response = await send("POST", "/orders", { number, amount: 4200 }, { "Idempotency-Key": randomId() });
  if (!response.ok) return say("The order could not be opened.");
  [order, token, requestId] = [await response.json(), await newToken(), randomId()];
  at("number").textContent = order.number;
  at("amount").textContent = money(order.amount);
  clicks = done = stopped = paid = 0;
  for (const layer of layers) answered[layer.id] = 0;
  at("log").tBodies[0].replaceChildren();
  at("nothing").hidden = false;
  for (const id of ["pay", "hundred", "tab", "steal"]) at(id).disabled = false;
  score();
  await readLedger();
}

// pay is one click: one request for the order on the till.
async function pay(by = { key: requestId, token }) {
  const mine = order;
  const row = newRow(++clicks);
  score();
  const headers = { "Idempotency-Key": by.key, "X-Idempotent-Token": by.token, ...by.headers };
  let response, body;
  try {
    response = await send("POST", `/orders/${mine.id}/pay`, { amount: mine.amount }, headers, by.more);
    body = await response.json();
  } catch {
    row.lastChild.textContent = "no answer";
    return;
  }
  if (mine !== order) return; // the till has moved on
  done++;
  fill(row, response, body);
  score();
  readLedgerSoon();
}

function newRow(n) {
  const row = make("tr", "", make("td", "", String(n)), ...layers.map(() => make("td", "unreached", "·")), make("td", "", "…"));
  const rows = at("log").tBodies[0];
  rows.prepend(row);
  if (rows.rows.length > shownRows) rows.lastChild.remove();
  at("nothing").hidden = true;
  return row;
}

// fill shows what the layers did with a click.
function fill(row, response, body) {
  const said = new Map((response.headers.get("Payment-Layers") || "").split(", ").map((pair) => pair.split("=")));
  let stoppedBy = "";
  layers.forEach((layer, i) => {
    const verdict = said.get(layer.id);
    if (!verdict) return;
    let kind = passes.has(verdict) ? "" : verdict === "off" ? "off" : verdict === "refused" ? "refuses" : "answers";
    if (kind === "answers" || kind === "refuses") stoppedBy = layer.id;
    row.cells[i + 1].className = "";
    row.cells[i + 1].replaceChildren(make("span", "pill " + kind, verdict));
  });
  if (stoppedBy) {
    answered[stoppedBy]++;
    stopped++;
  }
  const last = row.lastChild;
  if (!response.ok) last.textContent = `${response.status} ${(body.code || "").replaceAll("_", " ")}`;
  else if (stoppedBy) last.textContent = "the first receipt";
  else last.replaceChildren(++paid > 1 ? make("span", "pill refuses", "paid again") : make("span", "pill pays", "paid " + money(body.amount)));
  row.title = response.ok ? `receipt ${body.number}` : body.title || "";
}

function score() {
  at("clicks").textContent = clicks;
  at("stopped").textContent = stopped;
  for (const layer of layers) {
    const count = at("count-" + layer.id);
    count.firstChild.textContent = answered[layer.id] || 0;
    count.classList.toggle("zero", !answered[layer.id]);
  }
  document.body.dataset.clicks = clicks;
  document.body.dataset.answered = done;
}

let reading;
function readLedgerSoon() {
  reading ??= setTimeout(() => { reading = undefined; readLedger(); }, 50);
}

async function readLedger() {
  const entries = await (await send("GET", "/orders")).json();
  at("ledger").replaceChildren(...entries.map(entry));
  const mine = entries.find((e) => order && e.id === order.id);
  const n = mine ? mine.payments.length : 0;
  at("payments").textContent = n;
  at("verdict").className = n === 1 ? "once" : n > 1 ? "twice" : "";
  document.body.dataset.payments = n;
}

function entry(e) {
  const n = e.payments.length;
  const badge = n === 0 ? make("span", "pill", "not paid") : n === 1 ? make("span", "pill pays", "paid once") : make("span", "pill refuses", `paid ${n} times`);
  const lines = e.payments.slice(0, 12).map((p) => make("div", "", make("span", "", p.id.slice(0, 12) + "…"), make("span", "", money(p.amount))));
  if (n > 12) lines.push(make("div", "", `and ${n - 12} more`));
  return make("li", "", make("div", "head", make("b", "", e.number), make("span", "", money(e.amount)), badge), make("div", "lines", ...lines));
}

function drawLayers() {
  at("layers").replaceChildren(...layers.map((layer) => {
    const box = make("input", "switch");
    Object.assign(box, { type: "checkbox", checked: true, id: "switch-" + layer.id });
    box.setAttribute("role", "switch");
    box.addEventListener("change", () => turn(layer.id, box.checked));
    const count = make("div", "count zero", make("b", "", "0"), "stopped here");
    count.id = "count-" + layer.id;
    return make("li", "layer", make("p", "where", layer.where), make("label", "", layer.name, box), make("p", "", layer.text), count);
  }));
}

async function turn(id, on) {
  const response = await send("PUT", "/demo/layers/" + id, { on });
  say(response.ok ? "" : await response.text());
  await readLayers();
}

async function readLayers() {
  const on = await (await send("GET", "/demo/layers")).json();
  for (const layer of layers) {
    const box = at("switch-" + layer.id);
    box.checked = on[layer.id];
    box.closest("li").classList.toggle("off", !on[layer.id]);
  }
}

async function startAfresh() {
  const response = await send("POST", "/demo/clear");
  if (!response.ok) return say(await response.text());
  await readLayers();
  await newOrder();
}

async function begin() {
  drawLayers();
  at("pay").addEventListener("click", () => pay());
  at("hundred").addEventListener("click", () => { for (let i = 0; i < 100; i++) pay(); });
  at("tab").addEventListener("click", async () => pay({ key: randomId(), token: await newToken() }));
  at("steal").addEventListener("click", () => pay({ key: randomId(), token, headers: { Authorization: "Bearer a-thief" }, more: { credentials: "omit" } }));
  at("fresh").addEventListener("click", newOrder);
  at("clear").addEventListener("click", startAfresh);
  await readLayers();
  await newOrder();
  const itself = new URLSearchParams(location.search);
  for (const id of (itself.get("off") || "").split(",").filter(Boolean)) await turn(id, false);
  for (let i = Number(itself.get("clicks") || 0); i > 0; i--) at("pay").click();
}

begin().catch((err) => say("The page can't reach its server: " + err.message));
