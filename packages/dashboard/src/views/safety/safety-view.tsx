import { useComputed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { askSafety } from '../../live/ask-safety.ts'
import { releasesToAsk } from '../../model/safety/safety-answer.ts'
import type { ShownAnswer } from '../../model/safety/shown-answer.ts'
import type { View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { dayTime } from '../../timeline/time-axis.tsx'
import { SafetyDesk } from './safety-desk.ts'
import { SafetyVerdicts } from './safety-verdicts.tsx'

/** Can I start that release, or go back to it: can it read everything that is stored? */
const Safety = () => {
  const app = useApp()
  const { status, playground, route } = app
  const release = useSignal(route.value.item ?? '')
  const desk = useMemo(() => {
    const ask = (to: string) => askSafety(app, app.observed.value, to)
    return new SafetyDesk({ clock: app.clock, observed: app.observed, moment: app.moment, ask })
  }, [app])
  const releases = useComputed(() => {
    const known = playground?.fleet.value?.releases ?? []
    return releasesToAsk(
      known,
      status.value.servers.map((each) => each.release),
    )
  })
  const ask = (to: string): void => {
    release.value = to
    void desk.ask(to)
  }
  const shown = desk.shown.value
  const isPast = shown.kind === 'past'
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
        <button type="submit" class="primary" disabled={isPast || desk.isAsking.value}>
          Check
        </button>
      </form>
      <ul class="releases" aria-label="Releases">
        {releases.value.map((each) => (
          <li key={each}>
            <button
              type="button"
              disabled={isPast}
              aria-pressed={shown.kind === 'answer' && shown.answer.release === each}
              onClick={() => ask(each)}
            >
              {each}
            </button>
          </li>
        ))}
      </ul>
      <p class="problem" role="alert">
        {desk.problem.value}
      </p>
      <Answer shown={shown} />
    </section>
  )
}

const Answer = ({ shown }: { readonly shown: ShownAnswer }) => {
  const { liveMs } = useApp()
  switch (shown.kind) {
    case 'none':
      return <Explained />
    case 'past':
      return <p class="muted">A release is checked against what is stored now: go back to now.</p>
    case 'answer':
      return <SafetyVerdicts answer={shown.answer} asked={dayTime(shown.atMs, liveMs.value)} />
    case 'withdrawn':
      return (
        <p class="muted" role="status">
          {shown.because === 'changed'
            ? 'The agreement records have changed'
            : 'The connection to the fleet was lost'}{' '}
          since {shown.release} was checked at {dayTime(shown.atMs, liveMs.value)}: check it again.
        </p>
      )
  }
}

const Explained = () => (
  <p class="muted safety-help">
    A release must be able to read every version in which objects may be stored, or it loses them. That holds
    on the way up and on the way back. <code>strata check --to RELEASE</code> says the same, and{' '}
    <code>strata crd check OLD NEW</code> asks it about files with CRDs.
  </p>
)

export const safetyView: View = { ...{ name: 'safety', title: 'Safety', letter: 'f' }, Panel: Safety }
