import about from '../../package.json' with { type: 'json' }

/** A browser that the extension is built for. Edge, Brave and others take the build for Chromium. */
export type Browser = 'chromium' | 'firefox'

/**
 * The public key of the extension's id in Chromium, so that an installation from a folder has the same id everywhere:
 * `bkaponblkacannagnmjgpnnlphhgochb`. A store signs with a key of its own.
 */
const KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0a0cX33EsI3mZLypLubzt7LmeI5/WQSw3CmioW8XlaToUFjHyXPBXqFFmLvPML8/uWOmzLG+xcW5M7jzlw0n/z1eRkECuUpxmSTGnacB5O/r4bKeH/nEE3FqbGaFmhxRWAoBaZfP2M4Hdo76asK4W7Ou2o1WbzwnK7dmmTWD7DnaeaxhL/cmI611zDP9wM9tInTqyz/ETJbzlsFJ9EHZsxizrExzyivVEMhbzZ3L1C6xBK82aem4hL73g1Tv7JcotOlqj3S9LOHSGYi2o7W18xUAVNicUtPrUYmIgodk5JVZB7/pxZmjhVX41eQ9nVhK4zrKq0c7FcwcTyi1RwZZdwIDAQAB'

/** The manifest for a browser. What is not needed from the first minute is optional, and asked for when it is. */
export function manifestFor(browser: Browser) {
  const icons = { 16: 'icon-16.png', 32: 'icon-32.png', 48: 'icon-48.png', 128: 'icon-128.png' }
  return {
    manifest_version: 3,
    name: 'Openall',
    version: about.version,
    description: 'Save a window as one link, and open all tabs of a link at once.',
    icons,
    action: { default_title: 'Openall', default_popup: 'popup.html', default_icon: icons },
    options_ui: { page: 'options.html', open_in_tab: true },
    omnibox: { keyword: 'oa' },
    permissions: ['storage', 'contextMenus', 'activeTab', 'identity'],
    optional_permissions: ['tabs', 'tabGroups', 'bookmarks', 'scripting'],
    optional_host_permissions: ['https://*/*', 'http://*/*'],
    commands: {
      _execute_action: {
        suggested_key: { default: 'Alt+Shift+S' },
        description: 'Save tabs',
      },
    },
    content_security_policy: {
      extension_pages:
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src https: http:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
    ...(browser === 'chromium'
      ? { key: KEY, minimum_chrome_version: '127', background: { service_worker: 'worker.js', type: 'module' } }
      : {
          background: { scripts: ['worker.js'], type: 'module' },
          browser_specific_settings: {
            gecko: {
              id: 'extension@openall',
              strict_min_version: '142.0',
              data_collection_permissions: { required: ['none'] },
            },
          },
        }),
  }
}
