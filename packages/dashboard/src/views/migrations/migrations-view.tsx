import { useComputed, useSignal } from '@preact/signals'
import { refusedKinds } from '../../model/decide-sight.ts'
import { idleText } from '../../model/migrations/idle-text.ts'
import { decideCards } from '../../model/migrations/migration-cards.ts'
import type { View } from '../../shell/app-context.ts'
import { useApp } from '../../shell/app-context.ts'
import { FilterField } from '../../shell/filter-field.tsx'
import { Card } from './migration-card.tsx'

/** How far are the migrations, and what did they set aside? */
const Migrations = () => {
  const { migrations, records, filter } = useApp()
  const cards = useComputed(() => decideCards(migrations.value, records.value, filter.value))
  const isOpen = useSignal(false)
  const { open, ended } = cards.value
  const shown = isOpen.value ? ended : ended.slice(0, 4)
  return (
    <section class="view" aria-label="Migrations">
      <FilterField />
      <Idle open={open.length} />
      <ul class="cards">
        {open.map((card) => (
          <Card key={card.id} card={card} />
        ))}
      </ul>
      {ended.length > 0 && (
        <section class="ended" aria-label="Ended">
          <h2>Ended</h2>
          <ul class="cards">
            {shown.map((card) => (
              <Card key={card.id} card={card} />
            ))}
          </ul>
          {ended.length > shown.length && (
            <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
              Show all {ended.length}
            </button>
          )}
        </section>
      )}
    </section>
  )
}

const Idle = ({ open }: { readonly open: number }) => {
  const { status, shown } = useApp()
  const { agreed, migrations } = status.value
  const refused = refusedKinds(shown.value, ['states', 'versioned', 'plain'])
  const text = idleText({ trigger: migrations, isAgreed: agreed, shown: open, refused })
  return text === undefined ? null : <p class="muted">{text}</p>
}

export const migrationsView: View = {
  ...{ name: 'migrations', title: 'Migrations', letter: 'm' },
  Panel: Migrations,
}
