import { groupTexts } from './group-texts.ts'
import { type ResourceStatus, writeRefusals } from './resource-status.ts'

const indented = (texts: readonly string[]): string => texts.map((text) => `\n  ${text}`).join('')

export function renderAlarms(resources: readonly ResourceStatus[]): string[] {
  const alarms = [
    ['UNREADABLE OBJECTS ARE BEING WRITTEN:', groupTexts(resources, (each) => each.unreadable)],
    ['STORED OBJECTS MAY BE UNREADABLE:', groupTexts(resources, (each) => each.undecodable ?? [])],
    ['RESOURCES ARE NOT SERVED:', groupTexts(resources, (each) => each.notServed ?? [])],
    ['WRITES ARE REFUSED:', groupTexts(resources, writeRefusals)],
  ] as const
  return alarms.map(([head, texts]) => (texts.length === 0 ? '' : head + indented(texts)))
}

export interface VerdictFacts {
  readonly resources: readonly ResourceStatus[]
  readonly problems: readonly string[]
  /** What was looked at: `every resource`. */
  readonly what: string
}

/** Whether the servers agree, and if not, why. `shown` resources have a row. */
export function renderVerdict({ resources, problems, what }: VerdictFacts, shown: number): string {
  if (resources.length === 0 && problems.length > 0) return `Nothing is agreed:${indented(problems)}`
  const bad = resources.filter(({ agreed }) => !agreed)
  const rest = shown < resources.length ? ` (--all lists ${resources.length === 1 ? 'it' : 'them'})` : ''
  const agreed = `${count(resources.length - bad.length)} agreed${rest}.`
  if (bad.length === 0) {
    const hasAlarms = resources.some(({ unreadable, refusals }) => unreadable.length + refusals.length > 0)
    const [who, but] = hasAlarms
      ? ['The servers that write agree', ', but see the problems above']
      : ['All servers agree', '']
    const all = `${who} on the version of ${what}${but}: ${agreed}`
    return problems.length === 0 ? all : `${all}\nBut${indented(problems)}`
  }
  const texts = [...problems, ...groupTexts(bad, (each) => each.problems)]
  return `No agreement on ${bad.length} of ${count(resources.length)}:${indented(texts)}\n${agreed}`
}

function count(resources: number): string {
  return resources === 1 ? '1 resource' : `${resources} resources`
}
