import { useComputed } from '@preact/signals'
import { describeCard, type ServerCard } from '../model/server-cards.ts'
import { Age } from './age.tsx'
import { useApp } from './app-context.ts'

export const ServersPanel = () => {
  const { places } = useApp()
  const cards = useComputed(() => places.value.map(describeCard))
  return (
    <section class="servers">
      <h2>Servers</h2>
      <ul>
        {cards.value.map((each) => (
          <Card key={each.name} card={each} />
        ))}
      </ul>
      {cards.value.length === 1 && (
        <p class="muted">One server agrees with itself. Add others to see a vote.</p>
      )}
    </section>
  )
}

const states = { alive: 'renews its Lease', silent: 'silent', gone: 'gone', left: 'has left' } as const

const Card = ({ card }: { readonly card: ServerCard }) => {
  const { name, instance, release, state, renewed, note } = card
  return (
    <li class={`server server-${state}`}>
      <span class="server-dot" role="img" aria-label={states[state]} title={states[state]} />
      <span class="server-name">{name}</span>
      <span class="server-instance">{instance}</span>
      <span class="server-age num" title="since its Lease was renewed">
        <Age since={renewed} />
      </span>
      <span class="server-facts">
        <span class="server-release">{state === 'left' ? 'has left' : release}</span>
        {/* In the same line: a server that falls silent moves none below it. */}
        {note !== undefined && (
          <span class="server-note" key={state}>
            {note}
          </span>
        )}
      </span>
    </li>
  )
}
