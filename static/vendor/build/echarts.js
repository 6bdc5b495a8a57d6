// The parts of ECharts that the pages use. Tips are the pages' own: they are HTML, without inline styles.
import { BarChart, HeatmapChart } from "echarts/charts";
import { CalendarComponent, GridComponent, VisualMapContinuousComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([BarChart, HeatmapChart, CalendarComponent, GridComponent, VisualMapContinuousComponent, CanvasRenderer]);
export { init };
