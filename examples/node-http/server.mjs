// The partner eSIM API in one file, written by hand from the document, with nothing but Node's own
// modules. It shares nothing with the generated code.
//
//     ESIM_KEYS=acme:pes_test_…,globex:pes_live_… node server.mjs 8002
//
// Everything is in memory, events for as long as it runs. One process serves it, so what happens
// between two `await`s happens at once. An entry of ESIM_KEYS may end in `:READ:WRITE`, which are
// requests per minute. For tests on one machine, ESIM_LOOPBACK_WEBHOOKS=1 lets webhook endpoints be
// on it, and ESIM_WEBHOOK_RETRY_SCALE multiplies the pauses between attempts.

import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { BlockList, isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const TEXT = readFileSync(new URL("../../spec/openapi.json", import.meta.url), "utf-8");
const { "x-contract-error": ERRORS, webhooks: WEBHOOKS } = JSON.parse(TEXT);
const EVENT_TYPES = Object.keys(WEBHOOKS);
const BASE_PATH = "/api/v1";
const MAX_BODY_BYTES = 65_536;
const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// Between an order and its eSIMs, and between two reports of the played carrier.
const CARRIER_MS = 300;
const SLOW_ORDER_MS = 3_000;
const [TEST_CENTS, LOW_CENTS] = [100_000, 10_000];
const RETRY_SCALE = Number(process.env.ESIM_WEBHOOK_RETRY_SCALE ?? 1);
const PAUSES_MS = [0, 60, 300, 1800, 7200, 43200].map((each) => each * 1000 * RETRY_SCALE);
const FAILING_MS = 120 * HOUR_MS;

/** A request that is answered with the error body. */
class Problem extends Error {
  constructor(code, message, param = null, { headers = {}, details } = {}) {
    super(message);
    Object.assign(this, { code, param, headers, details });
  }
}

function ensure(holds, ...problem) {
  if (!holds) throw new Problem(...problem);
}

// Ids, time and money. Amounts are whole cents inside.

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

function newId(prefix) {
  let number = (BigInt(Date.now()) << 80n) | BigInt(`0x${randomBytes(10).toString("hex")}`);
  let text = "";
  for (let at = 0; at < 26; at += 1, number >>= 5n) text = CROCKFORD[Number(number & 31n)] + text;
  return `${prefix}_${text}`;
}

const usd = (cents) => (cents / 100).toFixed(2);
const cents = (usdText) => Math.round(Number(usdText) * 100);
const stamp = (moment = Date.now()) => new Date(moment).toISOString();
const newIccid = () => `89880440${String(randomInt(10 ** 11)).padStart(11, "0")}`;

// The catalogue

function offer(prefix, id, name, gigabytes, days, price_usd, starts_on) {
  const daily = days === null;
  return {
    [`${prefix}_id`]: id, name, plan_type: daily ? "daily" : "fixed", price_usd,
    data: { bytes: gigabytes * 1e9, unlimited: false, per_day: daily, fair_use: null },
    validity: { days, starts_on },
  };
}

function plan(id, name, gigabytes, days, price, coverage, countries, topup_supported) {
  return [id, {
    ...offer("plan", id, name, gigabytes, days, price, "first_connection"),
    coverage, countries, topup_supported, updated_at: "2026-02-01T00:00:00Z",
    networks: countries.map((country) => ({ country, name: "Any", technologies: ["4G"] })),
  }];
}

// Id, name, gigabytes, days (null for a daily plan), price, coverage, countries, top-ups.
const PLANS = new Map([
  plan("pln_asia-daily-1gb", "Asia 1 GB per day", 1, null, "1.10", "regional", ["JP", "KR"], null),
  plan("pln_global-50gb-90d", "Global 50 GB, 90 days", 50, 90, "49.00", "global", ["JP"], false),
  plan("pln_jp-20gb-30d", "Japan 20 GB, 30 days", 20, 30, "13.50", "country", ["JP"], true),
  plan("pln_jp-5gb-30d", "Japan 5 GB, 30 days", 5, 30, "4.50", "country", ["JP"], true),
]);
const TOPUP_PLANS = new Map([
  ["tpl_de-3gb-30d", "Germany 3 GB, 30 days", 3, 30, "3.50"],
  ["tpl_jp-3gb-30d", "Japan 3 GB, 30 days", 3, 30, "3.00"],
  ["tpl_jp-daily-1gb", "Japan 1 GB per day", 1, null, "1.20"],
].map((row) => [row[0], offer("topup_plan", ...row, "purchase")]));

function eligibleTopups(esim) {
  const { coverage, countries } = PLANS.get(esim.plan_id);
  if (coverage !== "country" || esim.status === "expired") return [];
  const prefix = `tpl_${countries[0].toLowerCase()}-`;
  return [...TOPUP_PLANS].filter(([name]) => name.startsWith(prefix));
}

// Accounts: what a partner has in a mode. Resources are kept by id, with their place in lists.

let sequence = 0;
const place = () => String((sequence += 1)).padStart(12, "0");

class Account {
  attempts = new Map();
  endpoints = new Map();
  orders = new Map();
  esims = new Map();
  events = new Map();
  resets = 0;
  changed = stamp();

  constructor(name, mode) {
    Object.assign(this, { name, mode, cents: mode === "test" ? TEST_CENTS : 0 });
  }

  /** Do something after a pause, unless the sandbox is reset before. */
  later(ms, work) {
    const { resets } = this;
    setTimeout(() => resets === this.resets && work(), ms);
  }

  balance() {
    const [balance_usd, low_balance_threshold_usd] = [this.cents, LOW_CENTS].map(usd);
    return { balance_usd, low_balance_threshold_usd, currency: "USD", updated_at: this.changed };
  }

  charge(total) {
    const [code, message] = ["insufficient_balance", "The balance is too low."];
    const amounts = { required_usd: usd(total), balance_usd: usd(this.cents) };
    const details = [{ param: null, code, message, ...amounts }];
    ensure(total <= this.cents, code, message, null, { details });
    this.move(-total);
  }

  move(amount) {
    const wasLow = this.cents < LOW_CENTS;
    Object.assign(this, { cents: this.cents + amount, changed: stamp() });
    if (this.cents < LOW_CENTS && !wasLow) this.emit("balance.low", this.balance());
  }

  /** Write an event into the feed, and deliver it to its subscribers or to one endpoint. */
  emit(type, data, { only, ...extra } = {}) {
    const event = { id: newId("evt"), type, created_at: stamp(), mode: this.mode, ...extra, data };
    const body = JSON.stringify(event);
    this.events.set(event.id, [place(), JSON.parse(body)]);
    const subscribed = [...this.endpoints.values()].filter(({ shown }) =>
      shown.status === "enabled" && shown.event_types.includes(type));
    for (const endpoint of only ? [only] : subscribed) deliver(this, endpoint, event, body);
    return event.id;
  }

  reset() {
    this.resets += 1;
    const { attempts, orders, esims, events } = this;
    [attempts, orders, esims, events].forEach((each) => each.clear());
    Object.assign(this, { cents: TEST_CENTS, changed: stamp() });
  }
}

// Keys: who asks, and how often

const accounts = new Map();
const keys = new Map();
for (const entry of (process.env.ESIM_KEYS ?? "").split(",")) {
  const [partner, key, read = "600", write = "60"] = entry.split(":");
  const mode = key.startsWith("pes_test_") ? "test" : "live";
  const name = `${partner} ${mode}`;
  if (!accounts.has(name)) accounts.set(name, new Account(name, mode));
  const limits = { read: Number(read), write: Number(write) };
  keys.set(key, { account: accounts.get(name), limits, hits: { read: [], write: [] } });
}

function authenticate({ headers: { authorization } }) {
  const headers = { "WWW-Authenticate": "Bearer" };
  ensure(authorization !== undefined, "missing_api_key", "There is no API key.", null, { headers });
  const [, key] = /^bearer (.+)$/i.exec(authorization) ?? [];
  ensure(keys.has(key), "invalid_api_key", "This API key is not valid.", null, { headers });
  return keys.get(key);
}

/** Count a request; the rate limit headers of its response. */
function count(key, kind) {
  const [limit, hits] = [key.limits[kind], key.hits[kind]];
  const at = performance.now();
  while (hits.length > 0 && hits[0] <= at - WINDOW_MS) hits.shift();
  const allowed = hits.length < limit;
  if (allowed) hits.push(at);
  const wait = Math.max(1, Math.ceil((hits[0] + WINDOW_MS - at) / 1000));
  const headers = {
    "RateLimit-Policy": `"${kind}";q=${limit};w=60`,
    RateLimit: `"${kind}";r=${limit - hits.length};t=${wait}`,
  };
  if (allowed) return headers;
  headers["Retry-After"] = String(wait);
  throw new Problem("rate_limited", "Too many requests.", null, { headers });
}

// Validation: a check takes the place and the value, and returns a fault, faults or undefined.

const fault = (code, param, message) => ({ code, param, message });

const text = (least, most, pattern = /^/, code = "invalid_value") => (param, value) => {
  if (typeof value !== "string") return fault("invalid_value", param, "This is not a string.");
  const length = [...value].length;
  if (length < least || length > most) return fault("invalid_length", param, "Too short or long.");
  return pattern.test(value) ? undefined : fault(code, param, "Its form is wrong.");
};

const whole = (least, most) => (param, value) => {
  if (!Number.isInteger(value)) return fault("invalid_value", param, "This is not a whole number.");
  if (value < least || value > most) return fault("out_of_range", param, `${least} to ${most}.`);
  return undefined;
};

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const record = (checks, required = []) => (param, value) => {
  if (!isObject(value)) return fault("invalid_value", param || null, "This is not an object.");
  const path = (name) => (param ? `${param}.${name}` : name);
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => fault("missing_field", path(name), `${name} is required.`)),
    ...Object.entries(value).flatMap(([name, each]) =>
      Object.hasOwn(checks, name)
        ? checks[name](path(name), each)
        : fault("unknown_field", path(name), `There is no field ${name}.`),
    ),
  ];
};

function metadata(param, value) {
  if (!isObject(value)) return fault("invalid_value", param, "This is not an object.");
  return Object.entries(value).flatMap(([name, each]) => [
    text(1, 40)(param, name), text(0, 500)(`${param}.${name}`, each),
  ]);
}

const eventType = (param, value) =>
  EVENT_TYPES.includes(value) ? undefined : fault("invalid_value", param, "There is no such type.");

function eventTypes(param, value) {
  if (!Array.isArray(value)) return fault("invalid_value", param, "This is not an array.");
  if (value.length < 1 || value.length > 9)
    return fault("invalid_length", param, "From 1 to 9 are allowed.");
  return value.map((each, at) => eventType(`${param}.${at}`, each));
}

const SHARED = { reference: text(1, 200, /^[!-~]*$/), days: whole(1, 365) };
const END_USER = record({ label: text(1, 120) });
const ORDER = record(
  { plan_id: text(1, 64), ...SHARED, quantity: whole(1, 20), end_user: END_USER, metadata },
  ["plan_id", "reference"],
);
const TOPUP = record({ topup_plan_id: text(1, 64), ...SHARED }, ["topup_plan_id", "reference"]);
const URL_TEXT = text(0, 2048, /^https:\/\/[^/?#]/, "invalid_webhook_url");
const ENDPOINT = record({ url: URL_TEXT, event_types: eventTypes }, ["url"]);
const PAGE = {
  cursor: text(1, 200),
  limit: (param, value) => whole(1, 200)(param, /^-?[0-9]{1,9}$/.test(value) ? +value : NaN),
};

function refuse(found) {
  const faults = found.filter((each) => each !== undefined);
  const [{ code, message, param } = {}] = faults;
  const details = faults.length > 1 ? faults.slice(0, 20) : undefined;
  ensure(code === undefined, code, message, param, { details });
}

async function readBody(request, check) {
  const mediaType = (request.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
  const isJson = mediaType === "application/json";
  ensure(isJson, "unsupported_media_type", "The body must be application/json.");
  const parts = [];
  let size = 0;
  for await (const part of request) if ((size += part.length) <= MAX_BODY_BYTES) parts.push(part);
  ensure(size <= MAX_BODY_BYTES, "body_too_large", "A body may have 64 KiB.");
  let body;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new Problem("invalid_json", "The body is not JSON.");
  }
  refuse([check("", body)].flat());
  return body;
}

function readQuery(url, checks) {
  const all = Object.entries({ ...checks, ...PAGE });
  const given = all.filter(([name]) => url.searchParams.has(name));
  refuse(given.map(([name, check]) => {
    const [value, ...others] = url.searchParams.getAll(name);
    const param = `query.${name}`;
    return others.length ? fault("invalid_value", param, "Give it once.") : check(param, value);
  }));
  return Object.fromEntries(given.map(([name]) => [name, url.searchParams.get(name)]));
}

// Lists: rows are pairs of a place that never changes and a resource.

const cursorSecret = randomBytes(32);

function cursorOf(scope, position) {
  const mac = createHmac("sha256", cursorSecret).update(`${scope}\n${position}`).digest();
  return `c1_${Buffer.concat([mac.subarray(0, 12), Buffer.from(position)]).toString("base64url")}`;
}

function positionOf(scope, cursor) {
  const position = Buffer.from(cursor.slice(3), "base64url").subarray(12).toString();
  const [real, given] = [Buffer.from(cursorOf(scope, position)), Buffer.from(cursor)];
  const isOurs = real.length === given.length && timingSafeEqual(real, given);
  ensure(isOurs, "invalid_cursor", "This is not a cursor of this list.", "query.cursor");
  return position;
}

function page({ url, account }, { cursor, limit = "50", ...filters }, rows, order = {}) {
  const { newestFirst = false, resumes = false } = order;
  const scope = JSON.stringify([url.pathname, account.name, filters]);
  const position = cursor === undefined ? "" : positionOf(scope, cursor);
  const isAfter = ([key]) => position === "" || (newestFirst ? key < position : key > position);
  const rest = (newestFirst ? [...rows].reverse() : [...rows]).filter(isAfter);
  const shown = rest.slice(0, Number(limit));
  const has_more = rest.length > shown.length;
  const next = has_more || resumes ? cursorOf(scope, shown.at(-1)?.[0] ?? position) : null;
  return [200, { data: shown.map(([, row]) => row), has_more, next_cursor: next }];
}

function found(resources, id) {
  ensure(resources.has(id), "resource_not_found", "There is no such resource.");
  return resources.get(id);
}

/** The operation that lists resources, all or those with one value of a member. */
const listing = (resources, name, check, order) => (asked) => {
  const query = readQuery(asked.url, { [name]: check });
  const rows = [...asked.account[resources].values()].filter(
    ([, each]) => query[name] === undefined || each[name] === query[name],
  );
  return page(asked, query, rows, order);
};

// Idempotency: a request under a reference; only success is remembered.

async function once({ account }, operation, payload, make) {
  const name = JSON.stringify([operation, payload.reference]);
  const same = canonical(payload);
  const earlier = account.attempts.get(name);
  if (earlier !== undefined) {
    const soon = { headers: { "Retry-After": "1" } };
    ensure(earlier.answer, "reference_in_progress", "It is in progress.", "reference", soon);
    ensure(earlier.same === same, "reference_reused", "It has another payload.", "reference");
    return [201, earlier.answer, { "Idempotent-Replay": "true" }];
  }
  const attempt = { same };
  account.attempts.set(name, attempt);
  try {
    attempt.answer = JSON.stringify(await make());
  } catch (error) {
    if (account.attempts.get(name) === attempt) account.attempts.delete(name);
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

// Operations: each returns a status, a body and headers, or throws a problem.

const PLAN_QUERY = {
  country: text(0, 200, /^[A-Za-z]{2}$/), coverage: text(0, 200, /^(regional|global)$/),
};

function listPlans(asked) {
  const query = readQuery(asked.url, PLAN_QUERY);
  const { country, coverage } = query;
  ensure(country ?? coverage, "missing_country_or_coverage", "Give country, coverage or both.");
  const rows = [...PLANS].filter(
    ([, each]) =>
      (country === undefined || each.countries.includes(country.toUpperCase())) &&
      (coverage === undefined || each.coverage === coverage),
  );
  return page(asked, query, rows);
}

function totalOf(bought, { quantity = 1, days }) {
  const daily = bought.plan_type === "daily";
  const code = daily ? "days_required" : "days_not_allowed";
  ensure(daily === (days !== undefined), code, "See the plan.", "days");
  return cents(bought.price_usd) * quantity * (days ?? 1);
}

async function createOrder(asked) {
  const { account } = asked;
  const body = { quantity: 1, ...(await readBody(asked.request, ORDER)) };
  const scenario = account.mode === "test" ? body.metadata?.sandbox_scenario : undefined;
  return once(asked, "createOrder", body, async () => {
    const bought = PLANS.get(body.plan_id);
    ensure(bought !== undefined, "plan_not_found", "There is no such plan.", "plan_id");
    const total = totalOf(bought, body);
    if (scenario === "slow_order") await sleep(SLOW_ORDER_MS);
    ensure(scenario !== "upstream_502", "upstream_error", "The carrier refused.");
    account.charge(total);
    const order = {
      order_id: newId("ord"), reference: body.reference, status: "processing",
      plan_id: bought.plan_id, quantity: body.quantity, days: body.days ?? null,
      unit_price_usd: bought.price_usd, total_usd: usd(total), iccids: [],
      end_user: body.end_user === undefined ? null : { label: body.end_user.label ?? null },
      metadata: body.metadata ?? {}, failure: null, created_at: stamp(), completed_at: null,
    };
    account.orders.set(order.order_id, [place(), order]);
    account.later(CARRIER_MS, () => fill(account, order, scenario));
    return order;
  });
}

/** The carrier's part of an order. */
function fill(account, order, scenario) {
  order.completed_at = stamp();
  if (scenario === "out_of_stock") {
    order.status = "failed";
    order.failure = { code: "out_of_stock", message: "The carrier has no eSIMs left." };
    account.move(cents(order.total_usd));
    return;
  }
  const esims = Array.from({ length: order.quantity }, () => newEsim(order));
  for (const esim of esims) account.esims.set(esim.iccid, [place(), esim]);
  Object.assign(order, { status: "completed", iccids: esims.map((each) => each.iccid) });
  account.emit("order.completed", order);
  const steps = Object.hasOwn(LIVES, scenario ?? "") ? LIVES[scenario] : [];
  steps.forEach(([type, percent], at) => {
    const report = () => esims.forEach((esim) => live(account, esim, type, percent));
    account.later(CARRIER_MS * (at + 1), report);
  });
}

function newEsim({ order_id, plan_id, days }) {
  const bought = PLANS.get(plan_id);
  const matching_id = `K2-${randomBytes(4).toString("hex").toUpperCase()}`;
  const code = `LPA:1$smdp.example.com$${matching_id}`;
  const bytes = bought.data.bytes * (days ?? 1);
  const created_at = stamp();
  return {
    esim_id: newId("esm"), iccid: newIccid(), order_id, plan_id,
    status: "ready", profile_status: "released",
    activation: {
      smdp_address: "smdp.example.com", matching_id, activation_code: code,
      confirmation_code_required: false,
      ios_install_url: `https://esimsetup.apple.com/esim_qrcode_provisioning?carddata=${code}`,
    },
    data: { total_bytes: bytes, used_bytes: 0, remaining_bytes: bytes, observed_at: null },
    activated_at: null, expires_at: stamp(Date.now() + 365 * DAY_MS),
    topup_supported: bought.topup_supported, created_at, updated_at: created_at,
  };
}

// What the carrier reports in a scenario: events, and how much of the allowance is used by then.
const LIVES = {
  activate_fast: [["esim.activated", 0]],
  deplete_fast: [
    ["esim.activated", 0], ["esim.usage", 50], ["esim.usage", 80], ["esim.depleted", 100],
  ],
  expire_fast: [["esim.activated", 0], ["esim.expiring", 0], ["esim.expired", 0]],
};

function live(account, esim, type, percent) {
  const now = Date.now();
  const { total_bytes } = esim.data;
  const used_bytes = (total_bytes * percent) / 100;
  const days = PLANS.get(esim.plan_id).validity.days ?? 1;
  const first = { activated_at: stamp(now), expires_at: stamp(now + days * DAY_MS) };
  Object.assign(esim, { updated_at: stamp(now) }, {
    "esim.activated": { status: "active", profile_status: "enabled", ...first },
    "esim.depleted": { status: "depleted" },
    "esim.expiring": { expires_at: stamp(now + 22 * HOUR_MS) },
    "esim.expired": { status: "expired", expires_at: stamp(now) },
  }[type]);
  const remaining_bytes = total_bytes - used_bytes;
  Object.assign(esim.data, { used_bytes, remaining_bytes, observed_at: stamp(now) });
  account.emit(type, esim, type === "esim.usage" ? { threshold_percent: percent } : {});
}

function listTopupPlans(asked) {
  const query = readQuery(asked.url, {});
  return page(asked, query, eligibleTopups(found(asked.account.esims, asked.values[0])[1]));
}

async function createTopup(asked) {
  const { account, values: [iccid] } = asked;
  const body = await readBody(asked.request, TOPUP);
  return once(asked, "createTopup", { ...body, iccid }, () => {
    const [, esim] = found(account.esims, iccid);
    const bought = TOPUP_PLANS.get(body.topup_plan_id);
    ensure(bought !== undefined, "topup_plan_not_found", "There is no such plan.", "topup_plan_id");
    ensure(esim.topup_supported !== false, "topup_not_supported", "This eSIM cannot be topped up.");
    const isEligible = eligibleTopups(esim).some(([name]) => name === body.topup_plan_id);
    ensure(isEligible, "esim_not_eligible", "The eSIM has ended, or the plan is not for it.");
    const total = totalOf(bought, body);
    account.charge(total);
    const topup = {
      topup_id: newId("top"), iccid, esim_id: esim.esim_id, topup_plan_id: body.topup_plan_id,
      reference: body.reference, status: "processing", days: body.days ?? null,
      price_usd: bought.price_usd, total_usd: usd(total), balance_after_usd: usd(account.cents),
      data_bytes: bought.data.bytes * (body.days ?? 1), created_at: stamp(), completed_at: null,
    };
    account.later(CARRIER_MS, () => topUp(account, esim, topup));
    return topup;
  });
}

/** The carrier's part of a top-up. */
function topUp(account, esim, topup) {
  esim.data.total_bytes += topup.data_bytes;
  esim.data.remaining_bytes += topup.data_bytes;
  if (esim.status === "depleted") esim.status = "active";
  esim.updated_at = stamp();
  Object.assign(topup, { status: "completed", completed_at: stamp() });
  account.emit("topup.completed", topup);
}

function resetSandbox({ account }) {
  ensure(account.mode === "test", "test_mode_only", "The key is not a test key.");
  account.reset();
  return [200, { reset_at: stamp(), balance_usd: usd(account.cents) }];
}

// Webhooks

async function createEndpoint({ request, account }) {
  const body = await readBody(request, ENDPOINT);
  const isPublic = await mayDeliverTo(body.url);
  ensure(isPublic, "invalid_webhook_url", "This is not a public HTTPS address.", "url");
  ensure(account.endpoints.size < 3, "webhook_endpoint_limit_reached", "There are three.");
  const shown = {
    id: newId("whe"), url: body.url, mode: account.mode, status: "enabled", disabled_reason: null,
    event_types: [...new Set(body.event_types ?? EVENT_TYPES.slice(0, -1))],
    created_at: stamp(), last_success_at: null, last_failure_at: null,
  };
  const signing_secret = `whsec_${randomBytes(32).toString("base64")}`;
  account.endpoints.set(shown.id, { shown, signing_secret, failingSince: null });
  return [201, { ...shown, signing_secret }];
}

function listEndpoints({ account }) {
  const data = [...account.endpoints.values()].map((each) => each.shown).reverse();
  return [200, { data, has_more: false, next_cursor: null }];
}

function deleteEndpoint({ account, values: [id] }) {
  found(account.endpoints, id);
  account.endpoints.delete(id);
  return [204];
}

function testEndpoint({ account, values: [id] }) {
  const only = found(account.endpoints, id);
  return [202, { event_id: account.emit("webhook.test", { webhook_endpoint_id: id }, { only }) }];
}

const LOOPBACK = process.env.ESIM_LOOPBACK_WEBHOOKS === "1" ? "" : "127.0.0.0/8 ";
// A list for each family: Node finds an IPv4 address in IPv6 ranges, too (RFC 4291, 2.5.5.2).
const PRIVATE = { 4: new BlockList(), 6: new BlockList() };
for (const range of (
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 ${LOOPBACK}169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ` +
  "192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 " +
  "::/3 2001::/23 2001:db8::/32 2002::/16 4000::/2 8000::/1"
).split(" ")) {
  const [address, bits] = range.split("/");
  PRIVATE[isIP(address)].addSubnet(address, Number(bits), `ipv${isIP(address)}`);
}

/** Whether a URL leads to public addresses, or to a name that does not resolve yet. */
async function mayDeliverTo(url) {
  if (!URL.canParse(url) || !/^[!-~]*$/.test(url) || /["<>\\^`{|}]/.test(url)) return false;
  const { hostname, username, password, hash } = new URL(url);
  if (username || password || hash) return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  // Tests do not depend on a resolver.
  if (!LOOPBACK && !isIP(host)) return true;
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.every(({ address, family }) => !PRIVATE[family].check(address, `ipv${family}`));
  } catch {
    return true;
  }
}

/** Deliver an event until it is acknowledged or exhausted. */
function deliver(account, endpoint, event, body, attempt = 0) {
  const { shown } = endpoint;
  account.later(PAUSES_MS[attempt], async () => {
    if (!account.endpoints.has(shown.id)) return;
    if (await post(endpoint, event, body)) {
      Object.assign(shown, { last_success_at: stamp(), status: "enabled", disabled_reason: null });
      endpoint.failingSince = null;
      return;
    }
    shown.last_failure_at = stamp();
    endpoint.failingSince ??= Date.now();
    if (attempt + 1 < PAUSES_MS.length) deliver(account, endpoint, event, body, attempt + 1);
    else if (Date.now() - endpoint.failingSince >= FAILING_MS) {
      Object.assign(shown, { status: "disabled", disabled_reason: "deliveries_failing" });
    }
  });
}

async function post({ shown, signing_secret }, event, body) {
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac("sha256", signing_secret).update(`${t}.${body}`).digest("hex");
  const headers = {
    "Content-Type": "application/json",
    "Service-Event-Id": event.id,
    "Service-Event-Type": event.type,
    "Service-Signature": `t=${t},v1=${v1}`,
  };
  const signal = AbortSignal.timeout(15_000);
  try {
    if (!(await mayDeliverTo(shown.url))) return false;
    const sent = { method: "POST", headers, body, redirect: "manual", signal };
    const response = await fetch(shown.url, sent);
    // The status decides; what follows it is of no use.
    response.body?.cancel().catch(() => {});
    return response.ok;
  } catch {
    return false;
  }
}

// Routes

const getting = (resources) => ({ account, values: [id] }) =>
  [200, found(account[resources], id)[1]];
const listOrders = listing("orders", "reference", text(0, 200), { newestFirst: true });
const ROUTES = [
  ["/plans", { GET: listPlans }],
  ["/plans/([^/]+)", { GET: ({ values: [id] }) => [200, found(PLANS, id)] }],
  ["/orders", { GET: listOrders, POST: createOrder }],
  ["/orders/([^/]+)", { GET: getting("orders") }],
  ["/esims", { GET: listing("esims", "order_id", text(0, 64), { newestFirst: true }) }],
  ["/esims/([^/]+)", { GET: getting("esims") }],
  ["/esims/([^/]+)/topup-plans", { GET: listTopupPlans }],
  ["/esims/([^/]+)/topups", { POST: createTopup }],
  ["/balance", { GET: ({ account }) => [200, account.balance()] }],
  ["/events", { GET: listing("events", "type", eventType, { resumes: true }) }],
  ["/webhook-endpoints", { GET: listEndpoints, POST: createEndpoint }],
  ["/webhook-endpoints/([^/]+)", { DELETE: deleteEndpoint }],
  ["/webhook-endpoints/([^/]+)/test", { POST: testEndpoint }],
  ["/sandbox/reset", { POST: resetSandbox }],
].map(([path, handlers]) => [new RegExp(`^${BASE_PATH}${path}$`), handlers]);

function route(method, path) {
  const [pattern, handlers] = ROUTES.find(([each]) => each.test(path)) ?? [];
  ensure(pattern, "route_not_found", "There is no such path.");
  const headers = { Allow: Object.keys(handlers).join(", ") };
  ensure(handlers[method], "method_not_allowed", `There is no ${method}.`, null, { headers });
  return [handlers[method], pattern.exec(path).slice(1).map(decoded)];
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
  const url = new URL(`http://localhost${request.url.replace(/^[^/]*/, "")}`);
  if (request.method === "GET" && url.pathname === `${BASE_PATH}/openapi.json`) return [200, TEXT];
  const key = authenticate(request);
  Object.assign(common, count(key, request.method === "GET" ? "read" : "write"));
  const [handler, values] = route(request.method, url.pathname);
  return handler({ request, url, values, account: key.account });
}

const server = createServer(async (request, response) => {
  const requestId = newId("req");
  const common = { "Request-Id": requestId };
  let status, body, headers;
  try {
    [status, body, headers = {}] = await answer(request, common);
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("internal_error", "It failed.");
    if (problem !== error) console.error(error);
    const { code, message, param, details } = problem;
    const { type, status: known } = ERRORS.codes[code];
    [status, headers] = [known, problem.headers];
    body = { error: { type, code, message, param, request_id: requestId, details } };
  }
  if (body !== undefined) common["Content-Type"] = "application/json";
  response.writeHead(status, { ...common, ...headers });
  response.end(typeof body === "object" ? JSON.stringify(body) : body);
});

server.listen(Number(process.argv[2] ?? 8002), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}${BASE_PATH}`);
});
