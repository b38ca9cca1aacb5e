import { useApp } from './app-context.ts'

/** Which resources are shown, in every view. `/` goes there. */
export const FilterField = () => {
  const { filter, setFilter } = useApp()
  return (
    <input
      type="search"
      class="filter"
      placeholder="Filter resources  /"
      aria-label="Filter resources"
      spellcheck={false}
      value={filter.value}
      onInput={({ currentTarget }) => setFilter(currentTarget.value)}
    />
  )
}
