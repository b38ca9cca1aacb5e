/** One metric with all its samples, in the Prometheus text format. */
export function metricFamily(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[],
): string {
  const lines = samples.map(([labels, value]) => {
    const text = Object.entries(labels).map(([label, each]) => `${label}=${JSON.stringify(each)}`)
    return `${name}${text.length === 0 ? '' : `{${text.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
