import { useComputed } from '@preact/signals'
import { counted, type FleetStatus, headlineParts, releasesInOrder, type Tone } from '@strata/insight'
import { useApp } from './app-context.ts'
import { Link } from './link.tsx'

const marks: Readonly<Record<Tone | 'waiting', readonly [shape: string, name: string]>> = {
  good: ['M3.5 8.5l3 3 6-7', 'All is well'],
  left: ['M8 3.5v5.5M8 12v.5', 'Something is left to do'],
  disagreed: ['M4.5 4.5l7 7M11.5 4.5l-7 7', 'Not agreed'],
  alarm: ['M8 3v6M8 11.5v1', 'Alarm'],
  unknown: ['M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12v.4', 'Unknown'],
  waiting: ['M4 8h.01M8 8h.01M12 8h.01', 'Waiting'],
}

/** What is so, since when, and what to do: the same as the first line of `strata status`. */
export const Sentence = () => {
  const { sight, headline, nowMs, shown } = useApp()
  const parts = useComputed(() => headlineParts(headline.value, nowMs.value))
  const { kind } = sight.value
  const tone = kind === 'fleet' ? headline.value.tone : kind === 'connecting' ? 'waiting' : 'unknown'
  const { unseen } = shown.value
  return (
    <section class={`sentence tone-${tone}`} aria-label="State of the fleet">
      <Mark tone={tone} />
      <div class="sentence-text" role="status">
        <h1 class="sentence-line">{kind === 'fleet' ? <Told parts={parts.value} /> : waitingText[kind]}</h1>
        {unseen && kind === 'fleet' && (
          <p class="lost">
            Connection lost. What is shown is from {new Date(unseen.since).toLocaleTimeString()}.
          </p>
        )}
      </div>
      {kind === 'fleet' && <Show />}
    </section>
  )
}

const waitingText = {
  connecting: 'Connecting to the fleet.',
  refused: 'You may not read the agreement records of this fleet.',
  foreign: 'This cluster keeps no agreement records.',
  empty: 'No server has reported yet.',
} as const

/** The first sentence says what is so; the others why, and what to do. Always two lines, so that no text moves another. */
const Told = ({ parts: [first, rest] }: { readonly parts: readonly [string, string] }) => {
  const { status } = useApp()
  return (
    <>
      {first} <span class="sentence-rest">{rest === '' ? runningText(status.value) : rest}</span>
    </>
  )
}

/** `3 servers run x+1.` */
function runningText({ servers }: FleetStatus): string {
  const releases = releasesInOrder(servers.map(({ release }) => release)).join(', ')
  const run = servers.length === 1 ? 'runs' : 'run'
  return `${counted(servers.length, 'server')} ${run}${releases === '' ? '' : ` ${releases}`}.`
}

const Show = () => {
  const { headline } = useApp()
  const [first] = headline.value.resources
  if (first === undefined) return null
  const view = headline.value.tone === 'left' ? 'storage' : 'agreement'
  return (
    <Link to={{ view, item: first }} class="button" aria-label={`Show ${first}`}>
      Show
    </Link>
  )
}

const Mark = ({ tone }: { readonly tone: Tone | 'waiting' }) => {
  const [shape, name] = marks[tone]
  return (
    <svg class="mark" viewBox="0 0 16 16" width="36" height="36" role="img" aria-label={name}>
      {tone === 'alarm' || tone === 'left' ? (
        <path class="mark-ground" d="M8 .8 15.6 14.6H.4z" />
      ) : tone === 'disagreed' ? (
        <rect class="mark-ground" x="1" y="1" width="14" height="14" rx="3.5" />
      ) : (
        <circle class="mark-ground" cx="8" cy="8" r="7.4" />
      )}
      <path class="mark-sign" d={shape} />
    </svg>
  )
}
