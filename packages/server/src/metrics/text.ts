/** Labels in a fixed order, written once: frequent series are looked up by them, never rebuilt. */
export type Labels = Readonly<Record<string, string>>

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

export function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',')
}

export type MetricType = 'counter' | 'gauge' | 'histogram'

export function familyHead(name: string, type: MetricType, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

export function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`
}
