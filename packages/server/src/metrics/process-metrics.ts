import { familyHead, type MetricType, sample } from './text.ts'

/** The metrics that Prometheus' standard dashboards expect of every process. Read at a scrape, so that they cost nothing. */
export function processMetrics(startedMs: number): string {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const rows: ReadonlyArray<[name: string, type: MetricType, help: string, value: number]> = [
    ['process_cpu_seconds_total', 'counter', 'Processor time used, in seconds.', (user + system) / 1e6],
    ['process_resident_memory_bytes', 'gauge', 'Memory in use.', rss],
    ['process_heap_bytes', 'gauge', 'Memory in use by objects of the program.', heapUsed],
    ['process_start_time_seconds', 'gauge', 'When the process started, since 1970.', startedMs / 1000],
  ]
  return rows
    .map(([name, type, help, value]) => familyHead(name, type, help) + sample(name, '', value))
    .join('')
}
