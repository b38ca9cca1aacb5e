import type { PackedAssets } from '@strata/cli/dashboard-assets'
import type { Plugin } from 'esbuild'
import { builtDashboard } from './built-dashboard.ts'

/** The module that takes the place of `dashboard/assets/read-packed.ts`: it has the files in it, as text. */
export const embeddedModule = (assets: PackedAssets): string =>
  `const packed = ${JSON.stringify(JSON.stringify(assets))}
export const readPacked = async () => JSON.parse(packed)
`

/** Puts the files of the dashboard into a bundle. */
export const embedDashboard: Plugin = {
  name: 'files of the dashboard',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/dashboard\/assets\/read-packed\.ts$/ }, async () => ({
      contents: embeddedModule((await builtDashboard()).assets),
    }))
  },
}
