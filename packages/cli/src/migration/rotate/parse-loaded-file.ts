import type { LoadedFile } from './decide-rotation-elsewhere.ts'

/** kube-apiserver 1.34 and newer has it, and Strata's servers; one series for the file that is in force. */
const series = /^apiserver_encryption_config_controller_last_config_info\{([^}]*)\} 1(?:\s|$)/m

/** When a file that was changed later was taken over. */
const reload =
  /^apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds\{[^}]*status="success"[^}]*\} (\S+)/m
const start = /^process_start_time_seconds (\S+)/m

/** The file that a server has loaded, from its metrics; undefined if they do not say it. */
export function parseLoadedFile(metrics: string): LoadedFile | undefined {
  const [, labels = ''] = series.exec(metrics) ?? []
  const label = (name: string): string | undefined => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1]
  const [server, file] = [label('apiserver_id_hash'), label('hash')]
  if (server === undefined || server === '' || file === undefined) return undefined
  const started = secondsIn(start, metrics)
  const sinceMs =
    started === undefined ? undefined : Math.max(started, secondsIn(reload, metrics) ?? 0) * 1000
  return { server, file, ...(sinceMs === undefined ? {} : { sinceMs }) }
}

function secondsIn(line: RegExp, metrics: string): number | undefined {
  const seconds = Number(line.exec(metrics)?.[1])
  return Number.isNaN(seconds) ? undefined : seconds
}
