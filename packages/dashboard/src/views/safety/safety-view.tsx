import { useComputed, useSignal } from '@preact/signals'
import { isIdentityLease, type UpgradeReview } from '@strata/api'
import { isInvalid } from '@strata/client'
import {
  declaredQuestion,
  explainReview,
  releasesToAsk,
  type SafetyAnswer,
} from '../../model/safety/safety-answer.ts'
import type { App, View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { SafetyVerdicts } from './safety-verdicts.tsx'

/** Can I start that release, or go back to it: can it read everything that is stored? */
const Safety = () => {
  const app = useApp()
  const { status, playground, route } = app
  const release = useSignal(route.value.item ?? '')
  const answer = useSignal<SafetyAnswer | undefined>(undefined)
  const problem = useSignal('')
  const isAsking = useSignal(false)
  const releases = useComputed(() => {
    const known = playground?.fleet.value?.releases ?? []
    return releasesToAsk(
      known,
      status.value.servers.map((each) => each.release),
    )
  })
  const ask = (to: string): void => {
    release.value = to
    problem.value = ''
    isAsking.value = true
    askFleet(app, to)
      .then(
        (found) => (answer.value = found),
        (error: unknown) => {
          answer.value = undefined
          problem.value = error instanceof Error ? error.message : String(error)
        },
      )
      .finally(() => (isAsking.value = false))
  }
  return (
    <section class="view" aria-label="Safety">
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault()
          if (release.value !== '') ask(release.value.trim())
        }}
      >
        <label for="release">Can every stored object be read by</label>
        <input
          id="release"
          value={release.value}
          placeholder="release"
          spellcheck={false}
          onInput={({ currentTarget }) => (release.value = currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={isAsking.value}>
          Check
        </button>
      </form>
      <ul class="releases" aria-label="Releases">
        {releases.value.map((each) => (
          <li key={each}>
            <button type="button" aria-pressed={answer.value?.release === each} onClick={() => ask(each)}>
              {each}
            </button>
          </li>
        ))}
      </ul>
      <p class="problem" role="alert">
        {problem.value}
      </p>
      {answer.value ? <SafetyVerdicts answer={answer.value} /> : <Explained />}
    </section>
  )
}

const Explained = () => (
  <p class="muted safety-help">
    A release must be able to read every version in which objects may be stored, or it loses them. That holds
    on the way up and on the way back. <code>strata check --to RELEASE</code> says the same, and{' '}
    <code>strata crd check OLD NEW</code> asks it about files with CRDs.
  </p>
)

/** The server knows the releases of its own kinds. In the middle of an upgrade, other servers of the fleet may run another one. */
async function askFleet({ client, signal, shown }: App, release: string): Promise<SafetyAnswer> {
  const { leases, records } = shown.value
  const review = async (spec: UpgradeReview['spec']): Promise<SafetyAnswer> => {
    const { status } = await client
      .resource<UpgradeReview>({
        ...{ group: 'strata.dev', versionName: 'v1alpha1', resource: 'upgradereviews' },
        kind: 'UpgradeReview',
      })
      .create({ metadata: {}, spec }, signal, { isLong: true })
    if (!status) throw new Error('the server answered without a verdict')
    return explainReview(release, status)
  }
  try {
    return await review({ release })
  } catch (error) {
    const declared = declaredQuestion(release, leases.objects.filter(isIdentityLease), records.objects)
    if (!isInvalid(error) || declared === undefined) throw error
    return review(declared)
  }
}

export const safetyView: View = { ...{ name: 'safety', title: 'Safety', letter: 'f' }, Panel: Safety }
