import type { CliContext } from '../../context.ts'
import { nameOf } from './observe-set-aside.ts'
import type { RepairReport } from './repair-report.ts'
import { objectLines } from './report-repairs.ts'

export type Choice = 'retry' | 'delete' | 'skip' | 'quit'

/** Shows an object and its ways, and asks what to do with it. */
export async function askAboutObject(
  report: RepairReport,
  canDelete: boolean,
  { ask, warn }: Pick<CliContext, 'ask' | 'warn'>,
): Promise<Choice> {
  warn?.(['', ...objectLines(report)].join('\n'))
  const deletes = report.now === 'undecodable' && canDelete
  const question = `[r] write it again, ${deletes ? '[d] save its bytes and delete it, ' : ''}[s] skip it, [q] quit: `
  for (;;) {
    const choice = choiceOf(await ask?.(question), deletes)
    if (choice === undefined) continue
    if (choice !== 'delete' || (await isNamed(report, ask))) return choice
  }
}

/** Undefined for what is none of them. An empty line skips; the end of the input quits. */
function choiceOf(answer: string | undefined, deletes: boolean): Choice | undefined {
  switch ((answer ?? 'q').trim().toLowerCase()) {
    case 'r':
      return 'retry'
    case 'd':
      return deletes ? 'delete' : undefined
    case '':
    case 's':
      return 'skip'
    case 'q':
      return 'quit'
    default:
      return undefined
  }
}

/** A deletion past finalizers and webhooks takes more than one key. */
async function isNamed(report: RepairReport, ask: CliContext['ask']): Promise<boolean> {
  const name = nameOf(report as { name: string; namespace?: string })
  const typed = await ask?.(`Its bytes are saved first. To delete it then, type ${name}: `)
  return typed?.trim() === name
}
