// What charts are made of.

/** A row of a tip: a dot's colour, what it is, and how much. */
interface TipRow {
  colour?: string;
  name: string;
  value: string;
  isSum?: boolean;
}

/** A cell of the table below a chart; `href` makes it a link. Copies have the `value` of the API, which `text` rounds. */
interface TableCell {
  text: string;
  value?: number | undefined;
  href?: string | undefined;
}

/** A row of the table below a chart; `pick` makes its name a button, `href` a link. */
interface TableRow {
  name: string;
  pick?: (() => void) | undefined;
  href?: string | undefined;
  cells: (string | TableCell)[];
}

interface TableFigures {
  head: string[];
  rows: TableRow[];
}

type Grain = "hour" | "day" | "week" | "month";
type OnSpan = (from: string, to: string) => void;

/** Days put together: what the figures of one bar are. An hour of /api/dims has no `models` and no days. */
interface Group {
  credits: number;
  calls: number;
  free: number;
  without_amount?: number;
}

interface DayGroup extends Group {
  from: string;
  to: string;
  without_amount: number;
  models: Map<string, number>;
  tokens: TokenCounts;
}

/** A bar and its names; the days, or the hour, that it leads to; whether it is not whole yet, or unknown. */
interface Bar {
  hour?: string;
  from?: string;
  to?: string;
  partial?: boolean;
  unknown?: UnknownState | null;
  /** Whether no amount of its calls is known. */
  isUnpriced?: boolean;
  /** The state of the first of its days that is unknown, also where others are known. */
  lacking?: UnknownState | null;
  short: string;
  long: string;
}

interface Series {
  name: string;
  values: number[];
  format: (value: number) => string;
  /** `named` is how the series asks for one of the page's colours. */
  colour: (named: (name: string) => string) => string;
}

/** The earlier period as a line: its value for each bar, null where it has none. */
interface EarlierLine {
  name: string;
  values: (number | null)[];
  /** The days of each value in words. */
  days: string[];
  format: (value: number) => string;
}

interface DaysShown {
  groups: Group[];
  /** Whether the last group is not over yet. */
  isOpen: boolean;
  grain: Grain;
  line?: EarlierLine | undefined;
  /** The budget of a day, as a line over the bars. */
  limit?: { value: number; name: string } | undefined;
  title: string;
  head: string;
  note: string;
  label: string;
  /** Whether the values are whole numbers. */
  isCount?: boolean;
  bars: Bar[];
  series: Series[];
}

/** What is drawn of the days; `addressOf(hour)` is where a bar of an hour leads. */
interface DaysToShow extends DaysShown {
  addressOf(hour: string): string;
}

/** A weekday: the mean credits of each of its hours, and of how many such days; `unknown` if no such day is archived. */
interface Weekday {
  count: number;
  hours: number[];
  unknown: UnknownState | null;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface HeatCell<Of> extends Box {
  value: number;
  unknown?: UnknownState | null | undefined;
  /** Whether there is nothing to show: neither a value nor why there is none. */
  blank?: boolean;
  of: Of;
}

interface HeatLabel {
  x: number;
  y: number;
  text: string;
  anchor?: string;
}

interface HeatLayout<Of> {
  height: number;
  cells: HeatCell<Of>[];
  labels: HeatLabel[];
}

/** What a heat map shows; `pick` is there where a click leads somewhere. */
interface HeatSource<Of> {
  values(): number[];
  layout(width: number): HeatLayout<Of>;
  tipOf(of: Of): [string, TipRow[]];
  figures(): TableFigures;
  pick?(of: Of): void;
}

/** Days of the ledger in one cell, with the state that needs attention most. */
interface LedgerCell extends Required<Span> {
  days: CoverageDay[];
  state: ShownState;
}

interface PlacedCell extends LedgerCell, Box {}

interface StripLayout {
  height: number;
  cells: PlacedCell[];
  labels: HeatLabel[];
}

/** The running sums of this month and the one before, day by day, and where this one will end. */
/** The answer of /api/forecast. */
type Forecast = { month: string; so_far: number } & ({ low: number; middle: number; high: number; method: "weekdays" } | { low: null; middle: null; high: null; method: "none" });

interface MonthSoFar {
  start: string;
  before: string;
  end: string;
  now: number[];
  then: number[];
  /** For each of these days, whether it is not archived. */
  unknown: { now: boolean[]; then: boolean[] };
  forecast: { expected: number; least: number; most: number } | null;
}
