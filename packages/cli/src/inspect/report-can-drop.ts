import { groupResourceText } from '@strata/api'
import type { Level, Report, Result } from '../output/report.ts'
import type { DropAnswer } from './decide-can-drop.ts'
import { blockerLines } from './report-inspect.ts'
import type { ResourceFacts } from './resource-facts.ts'

/** The answer first, in capitals, because it is what was asked for; then every reason. */
export function reportCanDrop(version: string, facts: ResourceFacts, answer: DropAnswer): Report {
  const { blockers, unseen, remarks, because } = answer
  const resource = groupResourceText(facts)
  const subject = `${version} of ${resource}`
  const { exit: _, ...document } = answer
  const results: Result[] = blockers.map(({ kind, text, next }) => ({
    ...{
      level: 'failed',
      rule: kind.toLowerCase().replaceAll(' ', '-'),
      subject: resource,
      message: text,
      fix: next,
    },
  }))
  const whole: Result = {
    ...{
      level: levels[answer.answer],
      rule: answer.answer.replaceAll(' ', '-'),
      subject: resource,
      message: because,
    },
  }
  return {
    command: 'can-drop',
    sections: [
      {
        lead: [headline(subject, answer)],
        notes: [
          ...blockerLines(blockers),
          ...(unseen.length > 0 && blockers.length > 0 ? ['Could not see:'] : []),
          ...unseen.map((each) => `  ${each.what}: ${each.because}`),
        ],
      },
      {
        notes: [
          ...remarks.map((each) => `Note: ${each}`),
          ...(answer.next === undefined ? [] : [`Next: ${answer.next}`]),
        ],
      },
    ],
    overview: {
      columns: ['RESOURCE', 'VERSION', 'CAN BE REMOVED', 'PROOF'],
      rows: [[resource, version, answer.answer, answer.answer === 'yes' ? answer.proof : '-']],
    },
    results: results.length === 0 ? [whole] : results,
    document: { resource, version, ...document },
  }
}

const levels: Readonly<Record<DropAnswer['answer'], Level>> = {
  yes: 'passed',
  no: 'failed',
  'could not see': 'unknown',
}

function headline(subject: string, { answer, because, proof }: DropAnswer): string {
  switch (answer) {
    case 'yes':
      return `YES, ${subject} can be removed (${proof}): ${because}`
    case 'no':
      return `NO, ${subject} cannot be removed yet:`
    case 'could not see':
      return `COULD NOT SEE whether ${subject} can be removed. Nothing that was seen blocks it; not seen:`
  }
}
