import type { PackedAssets } from './packed-assets.ts'

/**
 * In the clone, the files are built when their sources have changed. In what is published, `tools/dashboard/embed.ts` puts the
 * files themselves in the place of this module: nothing is built there.
 */
export async function readPacked(): Promise<PackedAssets> {
  const builder = new URL('../../../../../tools/dashboard/built-dashboard.ts', import.meta.url).href
  const { builtDashboard } = (await import(builder)) as Builder
  return (await builtDashboard()).assets
}

interface Builder {
  readonly builtDashboard: () => Promise<{ readonly assets: PackedAssets }>
}
