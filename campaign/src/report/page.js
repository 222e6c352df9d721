"use strict";
(() => {
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const copy = async (text, from) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Pages from files may not have a clipboard: what is selected can be copied by hand.
      getSelection().selectAllChildren(from);
      return document.execCommand("copy");
    }
  };

  for (const box of document.querySelectorAll(".copied")) {
    const pre = box.querySelector("pre");
    const button = make("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      const done = await copy(pre.textContent, pre);
      button.textContent = done ? "Copied" : "Selected";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    box.append(button);
  }

  const makeTabs = (sources, number) => {
    const panels = [...sources.querySelectorAll(".source")];
    if (panels.length < 2) return;
    const list = make("div", { className: "tabs" });
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", "the program as");
    const select = (chosen, focus) => {
      tabs.forEach((tab, i) => {
        tab.setAttribute("aria-selected", String(i === chosen));
        tab.tabIndex = i === chosen ? 0 : -1;
        panels[i].hidden = i !== chosen;
      });
      if (focus) tabs[chosen].focus();
    };
    const tabs = panels.map((panel, i) => {
      const heading = panel.querySelector("h3");
      const tab = make("button", { type: "button", id: `tab-${number}-${i}` });
      tab.textContent = panel.dataset.name;
      tab.title = heading.querySelector("small").textContent;
      tab.setAttribute("role", "tab");
      panel.id = `panel-${number}-${i}`;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.setAttribute("aria-controls", panel.id);
      heading.hidden = true;
      tab.addEventListener("click", () => select(i, false));
      return tab;
    });
    list.addEventListener("keydown", (event) => {
      const here = tabs.indexOf(document.activeElement);
      const last = tabs.length - 1;
      const to = {
        ArrowRight: here === last ? 0 : here + 1,
        ArrowLeft: here === 0 ? last : here - 1,
        Home: 0,
        End: last,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      select(to, true);
    });
    list.append(...tabs);
    sources.prepend(list);
    sources.classList.add("tabbed");
    select(0, false);
  };
  document.querySelectorAll(".sources").forEach(makeTabs);

  const makeFilter = (index) => {
    const rows = [...index.querySelectorAll("tbody tr")];
    if (rows.length < 2) return;
    const input = make("input", { type: "search", placeholder: "wrong result, gcc, …" });
    const shown = make("output");
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const fits = words.every((word) => text.includes(word));
        row.hidden = !fits;
        const section = document.getElementById(`bug-${row.dataset.cluster}`);
        if (section) section.hidden = !fits;
        count += Number(fits);
      }
      shown.textContent = words.length ? `${count} of ${rows.length}` : "";
    };
    input.addEventListener("input", apply);
    const label = make("label", {}, "Filter ", input);
    index.querySelector("h2").after(make("div", { className: "filter" }, label, shown));
  };
  document.querySelectorAll(".index").forEach(makeFilter);

  document.documentElement.dataset.script = "ready";
})();
