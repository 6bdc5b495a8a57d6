// What the API answers, as far as the scripts read it.

/** Days, the first and the last included; a bound that is missing is open. */
interface Span {
  from?: string;
  to?: string;
}

/** The server's day, and what is counted from it. */
interface Calendar {
  today: string;
  periods: Record<string, Span>;
  year: Required<Span>;
}

/** What the filters are set to. */
interface State {
  period: string;
  from: string;
  to: string;
  model: string;
  client: string;
  purpose: string;
}

/** A budget of /api/budgets with what is spent of it. */
interface Budget {
  id: number;
  period: "day" | "week" | "month";
  credits: number;
  model: string;
  client: string;
  thresholds: number[];
  spent: number;
  left: number;
  percent: number;
  begins_on: string;
  ends_at: string;
  runs_out_at: string | null;
  first_day: number;
  pace: number;
}

/** The answer of /api/packages. */
interface Packages {
  items: { state: string; size: number; left: number; expires_at: string | null; unused: number | null }[];
  left: number;
  lasts_until: string | null;
  read_at: string | null;
}

/** A webhook of /api/webhooks. */
interface Webhook {
  id: number;
  waiting: number;
  last: { at: string } | null;
}

type RunStatus = "queued" | "running" | "ok" | "failed" | "interrupted";

interface Run {
  id: number;
  kind: "collection" | "older" | "verification" | "import";
  trigger: string;
  status: RunStatus;
  started_at: string;
  finished_at: string | null;
  duration_ms: number | null;
  win_from: string | null;
  win_to: string | null;
  fetched: number;
  added: number;
  dup: number;
  total: number;
  conflicts: number;
  exit_code: number | null;
  message: string;
  cause?: string;
  detail?: string | null;
}

interface Status {
  server_time: string;
  is_admin: boolean;
  running_lock: boolean;
  scheduler: { running: boolean; next_run: string | null };
  backup: { last: string | null; next: string | null };
  last_run: Run | null;
  limits: { collect_max_range_days: number };
  cookie_set: boolean;
  token?: { broken: boolean; expires_at: string | null };
  cookie_broken: boolean;
  cookie_refused: boolean;
  cookie_expires_at: string | null;
}

/** What sums of a named archive have; the amount is null where no call has a known one. */
interface MeasuredSums {
  amount?: string | null;
  without_amount?: number;
}

interface Sums extends MeasuredSums {
  credits: number;
  calls: number;
  free: number;
  avgPerCall: number;
}

/** What a span is compared with. */
interface Comparison {
  window: { from: string | null; to: string | null; days: number | null };
  until: string | null;
  totals: Sums;
  change: { credits: number | null; calls: number | null; avgPerCall: number | null };
}

interface EarlierDay {
  d: string;
  c: number;
  k: number;
  fc: number;
}

interface EarlierItem {
  credits: number;
  calls: number;
  avg: number;
  free: number;
  change: { credits: number | null; calls: number | null };
}

interface Summary extends Sums {
  comparison?: Comparison;
  window: { from: string | null; to: string; days: number };
  prev: Sums | null;
  delta: { credits: number | null; calls: number | null; window: { from: string } };
  partial?: { date: string; hhmm: string };
}

interface DimItem extends MeasuredSums {
  name: string;
  credits: number;
  calls: number;
  avg: number;
  free: number;
}

/** `name` is null for the calls whose purpose is not known. */
interface PurposeItem extends Omit<DimItem, "name"> {
  name: string | null;
}

interface Dims {
  model: DimItem[];
  client: DimItem[];
  hour: DimItem[];
  purpose: PurposeItem[];
  others?: Partial<Record<"model" | "client" | "purpose", Omit<DimItem, "name"> & { names: number }>>;
  comparison?: Comparison & { items: Record<"model" | "client" | "hour" | "purpose", Record<string, EarlierItem>> };
  trend?: Record<"model" | "client" | "purpose", Record<string, number[]>> & { days: number };
}

interface Day extends MeasuredSums {
  d: string;
  c: number;
  k: number;
  fc: number;
  m: Record<string, number>;
  h: number[];
  /** Where the request names the archive; null where no call has some. */
  tokens?: TokenCounts | null;
}

/** No token counts twice. */
interface TokenCounts {
  in: number;
  out: number;
  cache_read: number;
  cache_write: number;
}

interface Daily {
  days: Day[];
  comparison?: Comparison & { days: EarlierDay[] };
}

type UnknownState = "unasked" | "unreachable" | "erased";
type DayState = UnknownState | "open" | "short" | "unconfirmed" | "surplus" | "stripped" | "proved" | "settled" | "checked";
/** How the ledger shows a day; "promptless" for a stripped one whose prompts the upstream no longer gives. */
type ShownState = DayState | "promptless" | "differing";

/** How a sum of calls differs from a bill: of a model, or of the whole day where that is empty. */
interface BillDifference {
  model: string;
  what: "calls" | "amount" | "tokens_in" | "tokens_out" | "cache_read" | "cache_write";
  here: string | null;
  there: string;
}

interface DayProof {
  bill: number;
  day: string;
  state: "proved" | "differs" | "waiting" | "missing";
  differences: BillDifference[];
}

interface CoverageDay {
  d: string;
  state: DayState;
  upstream: number | null;
  here: number;
  without_prompt: number;
  checked_at: string | null;
  final: boolean;
  proofs?: DayProof[];
}

interface Coverage {
  days: CoverageDay[];
}

interface TopCall {
  id: string;
  c: number;
  m: string;
  cl: string;
  t: string;
  px: string | null;
}

interface RepeatedPrompt {
  prompt: string;
  calls: number;
  credits: number;
  models: { model: string; calls: number; credits: number }[];
  cheapest: { model: string; credits: number } | null;
}

interface Repeated {
  items: RepeatedPrompt[];
  prepared?: number;
}

interface ListedRecord {
  request_id: string;
  credits: number;
  model: string;
  client: string;
  ts: string;
  agent_purpose: string;
  prompt?: string;
  /** Where the request names the archive. */
  tokens?: TokenCounts | null;
}

interface WholeRecord extends ListedRecord {
  prompt: string;
  user_id: number;
  day: string;
  hour: number;
  prompt_truncated: boolean;
  first_seen_at: string;
  updated_at: string;
  run_id: number | null;
}

interface Paged<Item> {
  items: Item[];
  /** Of all pages, where they are asked for. */
  sums?: MeasuredSums & { credits: number; avg: number; free: number; freeShare: number | null };
  total: number;
  page: number;
  size: number;
  pages: number;
}

interface Entry {
  at: string;
  actor: string;
  action: string;
  detail: string;
  ip: string;
}

interface AuditPage extends Paged<Entry> {
  actions: string[];
}

interface Backup {
  name: string;
  created_at: string;
  trigger: string;
  note: string;
  accounts: number | null;
  records: number | null;
  size_human: string;
  sha256: string | null;
  valid: boolean;
  node?: string;
}

interface Backups {
  items: Backup[];
  keep: number;
  total_human: string;
  dir: string;
  enabled: boolean;
  interval_hours: number;
  last_auto: string | null;
  node?: string;
}

/** The settings by key, and what may be told of the cookie. */
interface Settings extends Record<string, string> {
  cookie_hint: string;
  user_agent: string;
}

interface CookieTest {
  outcome: string;
  message: string;
  newest?: { ts: string; model: string; client: string; credits: number | null } | null;
  detail?: string;
}

/** A JSON Schema, as far as the page of the API reads it. */
interface ApiSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, ApiSchema>;
  required?: string[];
  items?: ApiSchema;
  additionalProperties?: ApiSchema | boolean;
  anyOf?: ApiSchema[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

type ApiContent = Record<string, { schema: ApiSchema }>;

interface ApiParameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: ApiSchema;
}

interface ApiResponse {
  description: string;
  content?: ApiContent;
}

interface ApiReference {
  $ref: string;
}

interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: ApiParameter[];
  requestBody?: { content: ApiContent };
  responses: Record<string, ApiResponse | ApiReference>;
}

interface ApiOperationAt {
  path: string;
  method: string;
  spec: ApiOperation;
}

/** The answer of /api/openapi.json. */
interface ApiDocument {
  tags: { name: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, ApiSchema>; responses: Record<string, ApiResponse> };
}
