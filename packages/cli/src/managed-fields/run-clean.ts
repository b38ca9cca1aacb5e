import { type ApiObject, groupResourceText, namespacedName } from '@strata/api'
import { counted, formatCount } from '@strata/insight'
import { severalAtOnce } from '@strata/world'
import type { CliContext } from '../context.ts'
import { verdictExits } from '../migration/evidence/decide-evidence.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { requestTurns } from '../migration/run/request-turns.ts'
import { cleanObject, type ObjectOutcome } from './clean-object.ts'
import type { CleanReport, ObjectFailure } from './clean-report.ts'
import { decideKeptFields } from './decide-kept-fields.ts'
import {
  type Access,
  type CleanOptions,
  type CleanPlan,
  metadataPages,
  readDefinition,
} from './plan-clean.ts'

/** After so many objects in a row for which no server could answer, the others are not tried. */
const mostOutages = 20

/** Why a pass ended before the last object. */
type Halt = Pick<CleanReport, 'result' | 'because' | 'exit'>

/** Cleans every object that the lists of now show. Run again, it goes on with what is left. */
export async function runClean(
  cluster: Access,
  plan: CleanPlan,
  options: CleanOptions,
  context: CliContext,
): Promise<CleanReport> {
  const { definition, address, isDead } = plan
  const name = groupResourceText(address)
  const turn = requestTurns(options, context)
  const objects = cluster.client.metadata(address)
  const failures: ObjectFailure[] = []
  let cleaned = 0
  let outages = 0
  let halt: Halt | undefined

  const settle = (object: ApiObject, outcome: ObjectOutcome): void => {
    if (outcome.kind === 'cleaned') cleaned++
    if (outcome.kind === 'cleaned' || outcome.kind === 'nothing left') {
      outages = 0
      return
    }
    const { kind: result, because, isOutage } = outcome
    failures.push({ object: namespacedName(object.metadata), result, because })
    outages = isOutage ? outages + 1 : 0
    if (outages >= mostOutages)
      halt ??= {
        result: 'not seen',
        because: `stopped after ${outages} failures in a row: ${because}`,
        exit: 'notSeen',
      }
  }

  try {
    for await (const page of metadataPages(cluster.client, address, options.pageSize, context)) {
      const todo = page.filter(
        ({ metadata }) => decideKeptFields(metadata.managedFields, address.group, isDead).dropped.length > 0,
      )
      if (todo.length > 0 && (await hasChanged(cluster, plan, context))) {
        const because = 'its CRD was changed meanwhile: a dead version may be back'
        halt = { result: 'stopped', because, exit: 'aborted' }
      }
      await severalAtOnce(options.concurrency, todo, async (object) => {
        if (halt !== undefined) return
        const how = { objects, resource: address, isDead, dryRun: options.dryRun, turn }
        settle(object, await cleanObject(how, object, context))
        context.progress?.(`${name}: ${formatCount(cleaned)} of ${formatCount(plan.seen.affected ?? 0)}`)
      })
      if (halt !== undefined) break
    }
  } catch (error) {
    halt = context.signal.aborted
      ? { result: 'stopped', because: 'it was stopped', exit: 'stopped' }
      : { result: 'not seen', because: notSeenError('it could not be read', error).message, exit: 'notSeen' }
  } finally {
    context.progress?.('')
  }
  const end = halt ?? endOf(plan, cleaned, failures, options.dryRun)
  const command = `strata clean-managed-fields ${definition.metadata.name ?? ''}`
  const isDone = end.result === 'cleaned' || end.result === 'would be cleaned'
  return { ...plan.seen, cleaned, failures, ...end, ...(isDone ? {} : { next: `${command}, to go on` }) }
}

function endOf(
  { evidence, seen }: CleanPlan,
  cleaned: number,
  failures: readonly ObjectFailure[],
  dryRun: boolean,
): Halt {
  if (failures.length > 0) {
    const verb = failures.length === 1 ? 'has' : 'have'
    const because = `${counted(failures.length, 'object')} still ${verb} the entries`
    const isUnknown = failures.every(({ result }) => result === 'unknown')
    return { result: 'incomplete', because, exit: isUnknown ? 'unknown' : 'incomplete' }
  }
  if (dryRun) {
    const because = `the server would accept it for ${counted(cleaned, 'object')}`
    return { result: 'would be cleaned', because, exit: 'rehearsed' }
  }
  const { verdict, because: why } = evidence
  const because = `${counted(seen.affected ?? cleaned, 'object')} cleaned; ${verdict}: ${why}`
  return { result: 'cleaned', because, exit: verdictExits[verdict] }
}

/** A version that is back has owners that are alive. */
async function hasChanged(
  cluster: Access,
  { definition }: CleanPlan,
  context: Pick<CliContext, 'world' | 'signal'>,
): Promise<boolean> {
  const { metadata } = await readDefinition(cluster, definition.metadata.name ?? '', context)
  return metadata.uid !== definition.metadata.uid || metadata.generation !== definition.metadata.generation
}
