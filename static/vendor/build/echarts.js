// The parts of ECharts that the pages use. Tips are the pages' own: they are HTML, without inline styles.
import { BarChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([BarChart, GridComponent, CanvasRenderer]);
export { init };
