// `node tools/package/chart/render.ts` renders the chart into deploy/rendered, with the helm in STRATA_HELM or on the PATH.
// Tests check those files, because helm is not among what npm or Debian bring.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOfChart, renderChart, renderedFolder, renderings } from './renderings.ts'

const helm = process.env['STRATA_HELM'] ?? 'helm'
mkdirSync(renderedFolder, { recursive: true })
for (const name of Object.keys(renderings)) {
  writeFileSync(join(renderedFolder, `${name}.yaml`), renderChart(helm, name))
}
writeFileSync(join(renderedFolder, 'chart.sha256'), `${digestOfChart()}\n`)
