/* CUDA C++ for JupyterLab's editor: C++, whose parser knows no __global__, and CUDA's words in colour
 * on top. A module federation container as webpack would make one, written by hand: JupyterLab calls
 * init with the modules it shares, and get for the extension. Nothing here is needed to run cells:
 * where it is missing, a cell is coloured as C++. */
(function () {
    "use strict";
    var shared = {};

    /* The module that JupyterLab has loaded, or would load, under that name. */
    async function take(name) {
        var versions = shared[name] || {};
        for (var version in versions) return (await versions[version].get())();
        throw new Error("JupyterLab shares no " + name);
    }

    var SPECIFIERS = ["__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__",
        "__restrict__", "__launch_bounds__", "__forceinline__", "__noinline__", "__grid_constant__", "__cluster_dims__"];
    var TYPES = ["void", "bool", "char", "short", "int", "long", "float", "double", "unsigned", "signed", "size_t", "half",
        "__half2?", "__nv_bfloat16", "u?int(?:8|16|32|64)_t", "(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]",
        "dim3", "cuda[A-Z]\\w*_t"];
    var BUILT_IN = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__sync\\w+", "__shfl\\w*", "atomic[A-Z]\\w*"];
    var WORDS = new RegExp("\\b(?:(" + SPECIFIERS.join("|") + ")|(" + TYPES.join("|") + ")|(" + BUILT_IN.join("|") + "))\\b", "g");

    /* An editor extension that marks CUDA's words, save in comments and strings. */
    function words(view, language) {
        var marks = ["specifier", "type", "builtin"].map(function (kind) {
            return view.Decoration.mark({class: "cm-cuda-" + kind});
        });
        var matcher = new view.MatchDecorator({
            regexp: WORDS,
            decorate: function (add, from, to, match, editor) {
                var inside = language.syntaxTree(editor.state).resolveInner(from, 1).name;
                if (!/Comment|String|Char/.test(inside)) add(from, to, marks[match[1] ? 0 : match[2] ? 1 : 2]);
            },
        });
        var plugin = view.ViewPlugin.fromClass(
            class {
                constructor(editor) {
                    this.decorations = matcher.createDeco(editor);
                    this.tree = language.syntaxTree(editor.state);
                }
                update(change) {
                    var tree = language.syntaxTree(change.state), parsed = tree !== this.tree; /* parsing goes on by itself */
                    this.decorations = parsed ? matcher.createDeco(change.view) : matcher.updateDeco(change, this.decorations);
                    this.tree = tree;
                }
            },
            {decorations: function (p) { return p.decorations; }}
        );
        return [plugin, view.EditorView.baseTheme({
            ".cm-cuda-specifier, .cm-cuda-specifier *": {color: "var(--jp-mirror-editor-keyword-color)", fontWeight: "bold"},
            ".cm-cuda-type, .cm-cuda-type *": {color: "var(--jp-mirror-editor-builtin-color)"},
            ".cm-cuda-builtin, .cm-cuda-builtin *": {color: "var(--jp-mirror-editor-variable-2-color)"},
        })];
    }

    async function plugin() {
        var codemirror = await take("@jupyterlab/codemirror");
        return {
            id: "warpbook-cuda:language",
            description: "CUDA C++ in the editor.",
            autoStart: true,
            requires: [codemirror.IEditorLanguageRegistry],
            activate: function (app, languages) {
                languages.addLanguage({
                    name: "cuda",
                    displayName: "CUDA C++",
                    mime: "text/x-cuda-c++src",
                    extensions: ["cu", "cuh"],
                    load: async function () {
                        var language = await take("@codemirror/language"), view = await take("@codemirror/view");
                        var base = await languages.getLanguage("C++");
                        return new language.LanguageSupport(base.support.language, [base.support.support, words(view, language)]);
                    },
                });
                /* A picture with ink for dark pages (prefers-color-scheme) goes by the theme, not by the system. */
                var style = document.createElement("style");
                style.textContent = 'body[data-jp-theme-light="false"] :is(.jp-RenderedHTMLCommon, .jp-RenderedSVG) img {color-scheme: dark}' +
                    'body[data-jp-theme-light="true"] :is(.jp-RenderedHTMLCommon, .jp-RenderedSVG) img {color-scheme: light}';
                document.head.appendChild(style);
            },
        };
    }

    window._JUPYTERLAB = window._JUPYTERLAB || {};
    window._JUPYTERLAB["warpbook-cuda"] = {
        init: function (scope) { shared = scope; },
        get: async function () {
            var exports = {default: await plugin(), __esModule: true};
            return function () { return exports; };
        },
    };
})();
