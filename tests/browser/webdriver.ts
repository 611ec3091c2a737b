import { eventually } from '../eventually.ts'
import type { Conditions, Viewer } from './viewer.ts'

/** The WebDriver commands that the tests use, with their HTTP routes; Marionette has them under the same names. */
const ROUTES = {
  GetWindowHandle: 'GET /window',
  GetWindowHandles: 'GET /window/handles',
  SwitchToWindow: 'POST /window',
  CloseWindow: 'DELETE /window',
  NewWindow: 'POST /window/new',
  Navigate: 'POST /url',
  Refresh: 'POST /refresh',
  Back: 'POST /back',
  FindElement: 'POST /element',
  SetWindowRect: 'POST /window/rect',
  GetActiveElement: 'GET /element/active',
  GetComputedLabel: 'GET /element/{id}/computedlabel',
  GetComputedRole: 'GET /element/{id}/computedrole',
  ElementClick: 'POST /element/{id}/click',
  ElementClear: 'POST /element/{id}/clear',
  ElementSendKeys: 'POST /element/{id}/value',
  ExecuteScript: 'POST /execute/sync',
  PerformActions: 'POST /actions',
  TakeScreenshot: 'GET /element/{id}/screenshot',
} as const

/** Sends a command to a browser. @returns its value. */
export type Send = (command: keyof typeof ROUTES, input?: Record<string, unknown>) => Promise<unknown>

const BUTTONS = { left: 0, middle: 1 }
const KEYS: Record<string, string> = { Tab: '\uE004', Enter: '\uE007', Shift: '\uE008', Control: '\uE009', Space: ' ' }

/** How many moves a drag takes. */
const DRAG_STEPS = 12

/** A reference to an element; its one property is the identifier. */
type Found = Record<string, string>

const idOf = (found: Found) => Object.values(found)[0]

const move = (x: number, y: number) => ({ type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y) })

/** What a browser does by other means than WebDriver. */
type Own = Pick<Viewer, 'close' | 'resize' | 'allowInBar' | 'addSearch' | 'search' | 'complaints'> &
  Partial<Pick<Viewer, 'unload'>> & {
    /** What presses. */
    pointer: 'mouse' | 'touch'
  }

/** A viewer in the window that is current. */
export async function viewerOf(send: Send, { scripts }: Pick<Conditions, 'scripts'>, own: Own): Promise<Viewer> {
  const home = await send('GetWindowHandle')
  const comeBack = () => send('SwitchToWindow', { handle: home })
  /** Finds an element, and scrolls it to the middle of the window. */
  async function find(selector: string): Promise<Found> {
    await comeBack()
    const using = selector.startsWith('//') ? 'xpath' : 'css selector'
    const found = (await send('FindElement', { using, value: selector })) as Found
    const script = "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })"
    if (scripts !== 'off') await send('ExecuteScript', { script, args: [found] })
    return found
  }
  const point = (actions: object[]) =>
    send('PerformActions', {
      actions: [{ type: 'pointer', id: own.pointer, parameters: { pointerType: own.pointer }, actions }],
    })
  const type = (actions: object[]) => send('PerformActions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  async function clickTimes(selector: string, button: number, times: number): Promise<void> {
    const origin = await find(selector)
    const press = [
      { type: 'pointerDown', button },
      { type: 'pointerUp', button },
    ]
    await point([{ type: 'pointerMove', duration: 0, x: 0, y: 0, origin }, ...Array(times).fill(press).flat()])
  }
  async function leaveAndReturn(): Promise<void> {
    await comeBack()
    await send('Navigate', { url: 'about:blank' })
    await send('Back')
  }
  return {
    async goTo(url) {
      await comeBack()
      await send('Navigate', { url })
    },
    async click(selector, how = 'left') {
      if (how !== 'with Ctrl') return clickTimes(selector, BUTTONS[how], 1)
      await type([{ type: 'keyDown', value: KEYS.Control }])
      await clickTimes(selector, BUTTONS.left, 1)
      await type([{ type: 'keyUp', value: KEYS.Control }])
    },
    tap: (selector, times) => clickTimes(selector, BUTTONS.left, times),
    async press(keys) {
      await comeBack()
      const down = keys.split('+').map((key) => KEYS[key] ?? key)
      await type([
        ...down.map((value) => ({ type: 'keyDown', value })),
        ...down.toReversed().map((value) => ({ type: 'keyUp', value })),
      ])
    },
    async type(text) {
      await comeBack()
      await type([...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value }))))
    },
    async focused() {
      await comeBack()
      const id = idOf((await send('GetActiveElement')) as Found)
      const [role, name] = [await send('GetComputedRole', { id }), await send('GetComputedLabel', { id })]
      return { role: String(role).toLowerCase(), name: String(name).trim() }
    },
    async fill(selector, text) {
      const id = idOf(await find(selector))
      await send('ElementClear', { id })
      await send('ElementSendKeys', { id, text })
    },
    async choose(selector, value) {
      await find(selector)
      await send('ElementClick', { id: idOf(await find(`${selector} option[value="${value}"]`)) })
    },
    async drag(selector, onto) {
      const [grip, target] = [await find(selector), await find(onto)]
      const script = 'return [...arguments].map((element) => element.getBoundingClientRect())'
      const [from, to] = (await send('ExecuteScript', { script, args: [grip, target] })) as [DOMRect, DOMRect]
      const [x, y] = [from.x + from.width / 2, from.y + from.height / 2]
      const way = Array.from({ length: DRAG_STEPS }, (_, step) => y + ((to.y + 2 - y) * (step + 1)) / DRAG_STEPS)
      await point([
        move(x, y),
        { type: 'pointerDown', button: BUTTONS.left },
        ...way.map((at) => move(x, at)),
        { type: 'pointerUp', button: BUTTONS.left },
      ])
    },
    async read<Value>(expression: string) {
      await comeBack()
      return (await send('ExecuteScript', { script: `return ${expression}`, args: [] })) as Value
    },
    async readInOthers(expression) {
      const values: unknown[] = []
      for (const handle of (await send('GetWindowHandles')) as string[]) {
        if (handle === home) continue
        await send('SwitchToWindow', { handle })
        values.push(await send('ExecuteScript', { script: `return ${expression}`, args: [] }))
      }
      return values
    },
    async reload() {
      await comeBack()
      await send('Refresh')
    },
    leaveAndReturn,
    async unload() {
      await comeBack()
      await (own.unload ?? leaveAndReturn)()
    },
    async allowInBar() {
      await comeBack()
      return (await own.allowInBar?.()) ?? []
    },
    async addSearch(keyword) {
      await comeBack()
      return (await own.addSearch?.(keyword)) ?? ''
    },
    async search(keyword, text) {
      await comeBack()
      await own.search?.(keyword, text)
    },
    async resize(width) {
      await comeBack()
      await own.resize(width)
    },
    async complaints() {
      await comeBack()
      return (await own.complaints?.()) ?? []
    },
    async picture(selector) {
      const id = idOf(await find(selector))
      return Buffer.from((await send('TakeScreenshot', { id, full: false })) as string, 'base64')
    },
    close: own.close,
  }
}

/** The path of a command's route. */
export function routeOf(command: keyof typeof ROUTES, { id }: Record<string, unknown> = {}): string {
  return ROUTES[command].replace('{id}', String(id))
}

/** Waits for a port to be listened on. @returns the first answer of `connect`. */
export async function connected<Answer>(connect: () => Promise<Answer>, what: string): Promise<Answer> {
  let answer: Answer | undefined
  await eventually(
    async () => {
      answer = await connect().catch(() => undefined)
      return answer !== undefined
    },
    what,
    60_000,
  )
  return answer as Answer
}
