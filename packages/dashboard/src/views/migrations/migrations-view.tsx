import { useComputed, useSignal } from '@preact/signals'
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
      {open.length === 0 && <Idle />}
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

/** Nothing runs: is there nothing to do, or is there no one to do it? */
const Idle = () => {
  const { status } = useApp()
  const { unclean = [], controllersAtWork } = status.value.migrations ?? {}
  if (unclean.length === 0) return <p class="muted">No migration is under way, and none is needed.</p>
  return (
    <p class="muted">
      No migration is under way. Objects of{' '}
      {unclean.length === 1 ? unclean[0] : `${unclean.length} resources`} may still be in an old version or
      key.{' '}
      {controllersAtWork === false
        ? 'No controllers are running: start them with "strata controllers".'
        : 'The controllers begin once the servers have agreed for a while.'}
    </p>
  )
}

export const migrationsView: View = {
  ...{ name: 'migrations', title: 'Migrations', letter: 'm' },
  Panel: Migrations,
}
