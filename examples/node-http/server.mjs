// Plans, orders and the balance of the partner eSIM API, with nothing but Node's own modules.
//
//     ESIM_KEYS=acme:pes_test_…,globex:pes_test_… node server.mjs 8002
//
// Everything is in memory. Operations that are not here answer 501.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const BASE_PATH = "/api/v1";
const MAX_BODY_BYTES = 65_536;
const WINDOW_MS = 60_000;
const CARRIER_MS = 300;
const SLOW_ORDER_MS = 3_000;

const STATUSES = {
  invalid_request_error: {
    400: [
      "invalid_json", "body_too_large", "unsupported_media_type", "missing_field", "unknown_field",
      "invalid_value", "out_of_range", "invalid_length", "missing_country_or_coverage",
      "invalid_cursor", "plan_not_found", "days_required", "days_not_allowed",
    ],
    405: ["method_not_allowed"],
  },
  authentication_error: { 401: ["missing_api_key", "invalid_api_key"] },
  payment_error: { 402: ["insufficient_balance"] },
  not_found_error: { 404: ["resource_not_found", "route_not_found"] },
  idempotency_error: { 409: ["reference_in_progress"], 422: ["reference_reused"] },
  rate_limit_error: { 429: ["rate_limited"] },
  api_error: { 500: ["internal_error"], 501: ["not_implemented"], 502: ["upstream_error"] },
};
const CODES = new Map(
  Object.entries(STATUSES).flatMap(([type, statuses]) =>
    Object.entries(statuses).flatMap(([status, codes]) =>
      codes.map((code) => [code, { type, status: Number(status) }]),
    ),
  ),
);

class Problem extends Error {
  constructor(code, message, { param = null, headers = {}, details } = {}) {
    super(message);
    Object.assign(this, { code, param, headers, details });
  }
}

// Ids and money. Amounts are whole cents inside.

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

function newId(prefix) {
  let number = (BigInt(Date.now()) << 80n) | BigInt(`0x${randomBytes(10).toString("hex")}`);
  let text = "";
  for (let at = 0; at < 26; at += 1, number >>= 5n) text = CROCKFORD[Number(number & 31n)] + text;
  return `${prefix}_${text}`;
}

const usd = (cents) => (cents / 100).toFixed(2);
const now = () => new Date().toISOString();

function newIccid() {
  const digits = `89880440${String(randomBytes(6).readUIntBE(0, 6) % 10 ** 10).padStart(10, "0")}`;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + Math.floor(doubled / 10) + (doubled % 10);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function plan(slug, name, coverage, countries, gigabytes, days, cents) {
  const networks = countries.map((country) => ({ country, name: "Any", technologies: ["4G"] }));
  return {
    plan_id: `pln_${slug}`,
    name,
    plan_type: days === null ? "daily" : "fixed",
    coverage,
    countries,
    data: { bytes: gigabytes * 1e9, unlimited: false, per_day: days === null, fair_use: null },
    validity: { days, starts_on: "first_connection" },
    networks,
    price_usd: usd(cents),
    topup_supported: false,
    updated_at: "2026-02-01T00:00:00Z",
  };
}

const PLANS = new Map(
  [
    plan("asia-daily-1gb", "Asia 1 GB per day", "regional", ["JP", "KR", "TH"], 1, null, 110),
    plan("global-50gb-90d", "Global 50 GB, 90 days", "global", ["DE", "JP", "US"], 50, 90, 4900),
    plan("jp-20gb-30d", "Japan 20 GB, 30 days", "country", ["JP"], 20, 30, 1350),
    plan("jp-5gb-30d", "Japan 5 GB, 30 days", "country", ["JP"], 5, 30, 450),
  ].map((each) => [each.plan_id, each]),
);

// Keys and accounts

const keys = new Map();
for (const entry of (process.env.ESIM_KEYS ?? "").split(",")) {
  const [partner, key, read = "600", write = "60"] = entry.split(":");
  const account = [...keys.values()].find((each) => each.account.partner === partner)?.account ?? {
    partner,
    cents: 100_000,
    changed: now(),
    orders: [],
    attempts: new Map(),
  };
  keys.set(key, { account, limits: { read: Number(read), write: Number(write) }, hits: { read: [], write: [] } });
}

function authenticate(request) {
  const headers = { "WWW-Authenticate": "Bearer" };
  const given = request.headers.authorization;
  if (given === undefined) throw new Problem("missing_api_key", "There is no API key.", { headers });
  const [, key] = /^bearer (.+)$/i.exec(given) ?? [];
  if (!keys.has(key)) throw new Problem("invalid_api_key", "This API key is not valid.", { headers });
  return keys.get(key);
}

function count(key, kind) {
  const limit = key.limits[kind];
  const hits = key.hits[kind];
  const at = performance.now();
  while (hits.length > 0 && hits[0] <= at - WINDOW_MS) hits.shift();
  const allowed = hits.length < limit;
  if (allowed) hits.push(at);
  const wait = Math.max(1, Math.ceil((hits[0] + WINDOW_MS - at) / 1000));
  const headers = {
    "RateLimit-Policy": `"${kind}";q=${limit};w=60`,
    RateLimit: `"${kind}";r=${limit - hits.length};t=${wait}`,
  };
  return allowed ? { headers } : { headers: { ...headers, "Retry-After": String(wait) }, refused: true };
}

// Validation: each check returns a fault or undefined.

const fault = (code, param, message) => ({ code, param, message });

function text(param, value, least, most, pattern) {
  if (typeof value !== "string") return fault("invalid_value", param, "This is not a string.");
  const length = [...value].length;
  if (length < least || length > most) return fault("invalid_length", param, "The length is wrong.");
  if (pattern && !pattern.test(value)) return fault("invalid_value", param, "The form is wrong.");
  return undefined;
}

function whole(param, value, least, most) {
  if (!Number.isInteger(value)) return fault("invalid_value", param, "This is no whole number.");
  if (value < least || value > most) return fault("out_of_range", param, `${least} to ${most}.`);
  return undefined;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function members(param, value, checks) {
  if (!isObject(value)) return [fault("invalid_value", param || null, "This is not an object.")];
  const path = (name) => (param ? `${param}.${name}` : name);
  return Object.entries(value).flatMap(([name, each]) =>
    Object.hasOwn(checks, name)
      ? checks[name](path(name), each)
      : fault("unknown_field", path(name), `There is no field ${name}.`),
  );
}

function metadata(param, value) {
  if (!isObject(value)) return fault("invalid_value", param, "This is not an object.");
  return Object.entries(value).flatMap(([name, each]) => [
    text(param, name, 1, 40),
    text(`${param}.${name}`, each, 0, 500),
  ]);
}

const ORDER = {
  plan_id: (param, value) => text(param, value, 1, 64),
  reference: (param, value) => text(param, value, 1, 200, /^[!-~]*$/),
  quantity: (param, value) => whole(param, value, 1, 20),
  days: (param, value) => whole(param, value, 1, 365),
  end_user: (param, value) =>
    members(param, value, { label: (inner, label) => text(inner, label, 1, 120) }),
  metadata,
};

function refuse(found) {
  const faults = found.filter((each) => each !== undefined);
  if (faults.length === 0) return;
  const [{ code, param, message }] = faults;
  const details = faults.length > 1 ? faults.slice(0, 20) : undefined;
  throw new Problem(code, message, { param, details });
}

async function readOrder(request) {
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new Problem("unsupported_media_type", "The body must be application/json.");
  }
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size <= MAX_BODY_BYTES) parts.push(part);
  }
  if (size > MAX_BODY_BYTES) throw new Problem("body_too_large", "A body may have 64 KiB.");
  let body;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new Problem("invalid_json", "The body is not JSON.");
  }
  const missing = ["plan_id", "reference"].filter((name) => isObject(body) && !Object.hasOwn(body, name));
  const absent = missing.map((name) => fault("missing_field", name, `${name} is required.`));
  refuse([...absent, ...members("", body, ORDER)]);
  return { quantity: 1, ...body };
}

function readQuery(url, checks) {
  const found = {};
  const faults = [];
  for (const [name, check] of Object.entries(checks)) {
    const values = url.searchParams.getAll(name);
    const param = `query.${name}`;
    if (values.length > 1) faults.push(fault("invalid_value", param, "It is given twice."));
    else if (values.length === 1) {
      found[name] = values[0];
      faults.push(check(param, values[0]));
    }
  }
  refuse(faults);
  return found;
}

const PAGE = {
  cursor: (param, value) => text(param, value, 1, 200),
  limit: (param, value) => whole(param, /^-?[0-9]{1,9}$/.test(value) ? Number(value) : NaN, 1, 200),
};

// Lists: rows in the order of the list, each under a key that never changes.

const cursorSecret = randomBytes(32);

function cursorOf(scope, position) {
  const mac = createHmac("sha256", cursorSecret).update(`${scope}\n${position}`).digest().subarray(0, 12);
  return `c1_${Buffer.concat([mac, Buffer.from(position)]).toString("base64url")}`;
}

function positionOf(scope, cursor) {
  const position = Buffer.from(cursor.slice(3), "base64url").subarray(12).toString();
  const [real, given] = [Buffer.from(cursorOf(scope, position)), Buffer.from(cursor)];
  if (real.length !== given.length || !timingSafeEqual(real, given)) {
    throw new Problem("invalid_cursor", "This is no cursor of this list.", { param: "query.cursor" });
  }
  return position;
}

function page(scope, rows, { cursor, limit = "50" }) {
  let first = 0;
  if (cursor !== undefined) {
    const position = positionOf(scope, cursor);
    first = rows.findIndex(([key]) => key === position) + 1;
  }
  const shown = rows.slice(first, first + Number(limit));
  const more = rows.length > first + shown.length;
  return {
    data: shown.map(([, row]) => row),
    has_more: more,
    next_cursor: more ? cursorOf(scope, shown.at(-1)[0]) : null,
  };
}

// Operations: each returns a status and a body, or throws a problem.

function listPlans({ url, account }) {
  const query = readQuery(url, {
    country: (param, value) => text(param, value, 0, 200, /^[A-Za-z]{2}$/),
    coverage: (param, value) => text(param, value, 0, 200, /^(regional|global)$/),
    ...PAGE,
  });
  if (query.country === undefined && query.coverage === undefined) {
    throw new Problem("missing_country_or_coverage", "Give country, coverage or both.");
  }
  const country = query.country?.toUpperCase();
  const rows = [...PLANS].filter(
    ([, each]) =>
      (country === undefined || each.countries.includes(country)) &&
      (query.coverage === undefined || each.coverage === query.coverage),
  );
  return [200, page(JSON.stringify(["plans", account.partner, country, query.coverage]), rows, query)];
}

function getPlan({ values: [planId] }) {
  if (!PLANS.has(planId)) throw new Problem("resource_not_found", "There is no such plan.");
  return [200, PLANS.get(planId)];
}

function listOrders({ url, account }) {
  const query = readQuery(url, { reference: (param, value) => text(param, value, 0, 200), ...PAGE });
  const rows = account.orders
    .filter((each) => query.reference === undefined || each.reference === query.reference)
    .map((each) => [each.order_id, each])
    .reverse();
  return [200, page(JSON.stringify(["orders", account.partner, query.reference]), rows, query)];
}

function getOrder({ account, values: [orderId] }) {
  const order = account.orders.find((each) => each.order_id === orderId);
  if (order === undefined) throw new Problem("resource_not_found", "There is no such order.");
  return [200, order];
}

function getBalance({ account }) {
  const balance_usd = usd(account.cents);
  const low_balance_threshold_usd = "100.00";
  return [200, { balance_usd, low_balance_threshold_usd, currency: "USD", updated_at: account.changed }];
}

async function createOrder({ request, account }) {
  const body = await readOrder(request);
  const payload = canonical(body);
  const earlier = account.attempts.get(body.reference);
  if (earlier !== undefined) {
    if (earlier.answer === undefined) {
      const headers = { "Retry-After": "1" };
      throw new Problem("reference_in_progress", "It is in progress.", { param: "reference", headers });
    }
    if (earlier.payload !== payload) {
      throw new Problem("reference_reused", "It has another payload.", { param: "reference" });
    }
    return [201, earlier.answer, { "Idempotent-Replay": "true" }];
  }
  const attempt = { payload };
  account.attempts.set(body.reference, attempt);
  try {
    attempt.answer = JSON.stringify(await placeOrder(account, body));
  } catch (error) {
    account.attempts.delete(body.reference);
    throw error;
  }
  return [201, attempt.answer];
}

/** The text of a value in which the order of members is always the same. */
function canonical(value) {
  return JSON.stringify(value, (_, each) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  );
}

async function placeOrder(account, body) {
  const bought = PLANS.get(body.plan_id);
  if (bought === undefined) {
    throw new Problem("plan_not_found", "There is no such plan.", { param: "plan_id" });
  }
  const daily = bought.plan_type === "daily";
  if (daily !== (body.days !== undefined)) {
    throw new Problem(daily ? "days_required" : "days_not_allowed", "See the plan.", { param: "days" });
  }
  const scenario = body.metadata?.sandbox_scenario;
  if (scenario === "slow_order") await new Promise((resolve) => setTimeout(resolve, SLOW_ORDER_MS));
  if (scenario === "upstream_502") throw new Problem("upstream_error", "The carrier refused.");
  const total = Math.round(Number(bought.price_usd) * 100) * body.quantity * (body.days ?? 1);
  if (total > account.cents) {
    const amounts = { required_usd: usd(total), balance_usd: usd(account.cents) };
    const detail = { param: null, code: "insufficient_balance", message: "It is too much.", ...amounts };
    throw new Problem("insufficient_balance", "The balance is too low.", { details: [detail] });
  }
  Object.assign(account, { cents: account.cents - total, changed: now() });
  const order = {
    order_id: newId("ord"),
    reference: body.reference,
    status: "processing",
    plan_id: bought.plan_id,
    quantity: body.quantity,
    days: body.days ?? null,
    unit_price_usd: bought.price_usd,
    total_usd: usd(total),
    iccids: [],
    end_user: body.end_user === undefined ? null : { label: body.end_user.label ?? null },
    metadata: body.metadata ?? {},
    failure: null,
    created_at: now(),
    completed_at: null,
  };
  account.orders.push(order);
  setTimeout(() => fill(account, order, total, scenario), CARRIER_MS);
  return order;
}

function fill(account, order, total, scenario) {
  order.completed_at = now();
  if (scenario === "out_of_stock") {
    order.status = "failed";
    order.failure = { code: "out_of_stock", message: "The carrier has no eSIMs left." };
    Object.assign(account, { cents: account.cents + total, changed: now() });
    return;
  }
  order.status = "completed";
  order.iccids = Array.from({ length: order.quantity }, newIccid);
}

function notImplemented() {
  throw new Problem("not_implemented", "This operation is not here.");
}

const ROUTES = [
  ["/plans", { GET: listPlans }],
  ["/plans/([^/]+)", { GET: getPlan }],
  ["/orders", { GET: listOrders, POST: createOrder }],
  ["/orders/([^/]+)", { GET: getOrder }],
  ["/esims", { GET: notImplemented }],
  ["/esims/([^/]+)", { GET: notImplemented }],
  ["/esims/([^/]+)/topup-plans", { GET: notImplemented }],
  ["/esims/([^/]+)/topups", { POST: notImplemented }],
  ["/balance", { GET: getBalance }],
  ["/events", { GET: notImplemented }],
  ["/webhook-endpoints", { GET: notImplemented, POST: notImplemented }],
  ["/webhook-endpoints/([^/]+)", { DELETE: notImplemented }],
  ["/webhook-endpoints/([^/]+)/test", { POST: notImplemented }],
  ["/sandbox/reset", { POST: notImplemented }],
].map(([path, handlers]) => [new RegExp(`^${BASE_PATH}${path}$`), handlers]);

function route(method, path) {
  for (const [pattern, handlers] of ROUTES) {
    const match = pattern.exec(path);
    if (match === null) continue;
    if (handlers[method] === undefined) {
      const headers = { Allow: Object.keys(handlers).join(", ") };
      throw new Problem("method_not_allowed", `This path has no ${method}.`, { headers });
    }
    return [handlers[method], match.slice(1).map(decoded)];
  }
  throw new Problem("route_not_found", "There is no such path.");
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    // No resource has such a name.
    return "";
  }
}

async function answer(request, common) {
  const key = authenticate(request);
  const counted = count(key, request.method === "GET" ? "read" : "write");
  Object.assign(common, counted.headers);
  if (counted.refused) throw new Problem("rate_limited", "Too many requests.");
  const url = new URL(request.url, "http://localhost");
  const [handler, values] = route(request.method, url.pathname);
  return handler({ request, url, values, account: key.account });
}

const server = createServer(async (request, response) => {
  const requestId = newId("req");
  const common = { "Request-Id": requestId, "Content-Type": "application/json" };
  let status, body, headers;
  try {
    [status, body, headers = {}] = await answer(request, common);
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("internal_error", "It failed.");
    if (problem !== error) console.error(error);
    const { code, message, param, details } = problem;
    const known = CODES.get(code);
    status = known.status;
    headers = problem.headers;
    body = { error: { type: known.type, code, message, param, request_id: requestId, details } };
  }
  response.writeHead(status, { ...common, ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
});

server.listen(Number(process.argv[2] ?? 8002), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}${BASE_PATH}`);
});
