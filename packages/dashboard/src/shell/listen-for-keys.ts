import { decideKey } from '../model/keyboard.ts'
import type { App } from './app-context.ts'

/** How long a letter may follow after `g`. */
const awaitMs = 1_500

/** Keys that work everywhere on the page. Ends with the function that it returns. */
export function listenForKeys({ clock, views, route, isHelpOpen, timeline, go }: App): () => void {
  let awaitsUntilMs = 0
  const onKey = (event: KeyboardEvent): void => {
    const { key, ctrlKey, altKey, metaKey, target } = event
    const command = decideKey({
      key,
      hasModifier: ctrlKey || altKey || metaKey,
      isTyping: target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select'),
      awaitsView: clock.monotonicMs() < awaitsUntilMs,
    })
    awaitsUntilMs = 0
    switch (command?.do) {
      case undefined:
        return
      case 'await-view':
        awaitsUntilMs = clock.monotonicMs() + awaitMs
        return
      case 'view': {
        const view = views.find(({ letter }) => letter === command.letter)
        if (view) go({ view: view.name })
        return
      }
      case 'filter': {
        const field = document.querySelector<HTMLInputElement>('input[type=search]')
        if (!field) return
        event.preventDefault()
        field.select()
        return
      }
      case 'earlier':
        return timeline.step(-1)
      case 'later':
        return timeline.step(1)
      case 'now':
        return timeline.open(undefined)
      case 'zoom':
        return timeline.zoom(command.factor, 0.5)
      case 'help':
        isHelpOpen.value = !isHelpOpen.value
        return
      case 'leave':
        if (isHelpOpen.value) isHelpOpen.value = false
        else if (target instanceof HTMLInputElement) target.blur()
        else if (timeline.picked.value.length > 0) timeline.picked.value = []
        else if (route.value.item !== undefined) go({ item: undefined })
    }
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}
