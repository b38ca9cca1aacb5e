import { type Assets, unpackAssets } from './packed-assets.ts'
import { readPacked } from './read-packed.ts'

let loading: Promise<Assets> | undefined

/** The files of the dashboard. They are unpacked once per process, when they are first asked for. */
export function loadDashboardAssets(): Promise<Assets> {
  loading ??= readPacked().then(unpackAssets)
  return loading
}
